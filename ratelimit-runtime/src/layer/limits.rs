//! The limits of a layer. They are decided before the framework reads the body.

use super::{RequestParts, Settings};
use crate::__private::{Call, Calls, Check};
use crate::context::{ContextClientIp, RequestContext};
use crate::identity::{Identity, KeyWriter};
use crate::limit::Limit;
use crate::macros::opaque;
use std::panic::Location;
use std::sync::Arc;

/// A limit for all requests that pass through a layer.
#[derive(Clone)]
pub(super) struct LayerLimit {
    pub(super) name: &'static str,
    pub(super) limit: Limit,
    pub(super) by: By,
    /// The call of `RateLimitLayer::limit`.
    pub(super) place: &'static Location<'static>,
}

/// Selects the identity of a request for a limit of a [`RateLimitLayer`](crate::RateLimitLayer).
///
/// ```
/// use ratelimit::{By, Limit, RateLimitLayer};
/// use std::time::Duration;
///
/// const MINUTE: Duration = Duration::from_secs(60);
///
/// let layer = RateLimitLayer::new()
///     .limit("api", Limit::counter(600, MINUTE), By::ip())
///     .limit("api_key", Limit::counter(100, MINUTE), By::header("x-api-key"))
///     .limit("uploads", Limit::counter(10, MINUTE), By::request(|request| {
///         // Only POST requests count: `None` exempts a request.
///         (request.method() == "POST").then(|| request.client_ip())
///     }));
/// ```
#[derive(Clone)]
#[must_use]
pub struct By(Source, Part);

/// What the identity of a request is for.
#[derive(Clone, Copy)]
enum Part {
    /// Each identity has its own limit.
    Own,
    /// All requests share the limit, and the identities get equal parts.
    Fair,
}

#[derive(Clone)]
enum Source {
    Global,
    Ip,
    Header(Arc<str>),
    Request(Arc<Read>),
}

/// Reads the identity of a request. `None` exempts the request.
type Read = dyn Fn(&LayerRequest<'_>) -> Option<Box<dyn Identity>> + Send + Sync;

impl By {
    /// All requests share the limit.
    pub fn global() -> Self {
        Self(Source::Global, Part::Own)
    }

    /// Each client address has its own limit. Behind trusted proxies, it is the address that the proxies report.
    pub fn ip() -> Self {
        Self(Source::Ip, Part::Own)
    }

    /// Each value of this header has its own limit. The key contains a keyed hash of the value. A request that does not have the
    /// header exactly once is rejected as unidentified.
    ///
    /// A client can send any header. Choose a header that the service verifies, or add a limit by address.
    pub fn header(name: &str) -> Self {
        Self(Source::Header(name.to_ascii_lowercase().into()), Part::Own)
    }

    /// Each identity that the function returns has its own limit. If the function returns `None`, the request is exempt.
    pub fn request<I: Identity + 'static>(
        identity: impl Fn(&LayerRequest<'_>) -> Option<I> + Send + Sync + 'static,
    ) -> Self {
        Self(Source::Request(Arc::new(move |request| Some(Box::new(identity(request)?)))), Part::Own)
    }

    /// All requests share the limit, and each identity gets an equal part while all of it is wanted. What some leave may be used by
    /// those that want more. See [`fair`](crate::rate_limit#fair) for the limits that can be shared.
    ///
    /// ```
    /// use ratelimit::{By, Limit, RateLimitLayer, per};
    ///
    /// let layer = RateLimitLayer::new()
    ///     .limit("search", Limit::token_bucket(1000, per::SECOND), By::header("x-api-key").fair());
    /// ```
    pub fn fair(self) -> Self {
        Self(self.0, Part::Fair)
    }
}

/// A request that has entered a [`RateLimitLayer`](crate::RateLimitLayer), for [`By::request`]. See the example of [`By`].
pub struct LayerRequest<'r> {
    parts: &'r dyn RequestParts,
    context: &'r RequestContext,
}

impl LayerRequest<'_> {
    /// The method, such as `GET`.
    pub fn method(&self) -> &str {
        self.parts.method()
    }

    /// The path of the URL, without the query, as the client has sent it.
    pub fn path(&self) -> &str {
        self.parts.path()
    }

    /// The value of a header. `None` if the request does not have it exactly once.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.parts.header(name)
    }

    /// The address of the client, which can be used as an identity. Behind trusted proxies, it is the address that the proxies
    /// report.
    pub fn client_ip(&self) -> ContextClientIp {
        self.context.client_ip_word()
    }
}

impl Settings {
    /// Whether the layer has limits.
    pub(crate) fn has_limits(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Starts the decision about the limits of this layer, within the request's context. `None` if the request is exempt from
    /// all limits.
    pub(crate) fn decide(&self, context: &RequestContext, parts: &dyn RequestParts) -> Option<Check> {
        context.sync_scope(|| {
            let request = LayerRequest { parts, context };
            let mut calls = self.limits.iter().filter_map(|limit| limit.call(self, &request));
            let mut first = calls.next()?;
            Some(match calls.next() {
                None => first.start(),
                Some(second) => Calls::of([first, second].into_iter().chain(calls)).start(),
            })
        })
    }
}

impl LayerLimit {
    fn call(&self, settings: &Settings, request: &LayerRequest<'_>) -> Option<Call> {
        let mut call = Call::of_layer(self.name, &self.limit, self.place, settings.current_limiter());
        let By(source, part) = &self.by;
        match source {
            Source::Global => {}
            Source::Ip => request.client_ip().write(&mut part.writer(&mut call)),
            Source::Header(name) => match request.header(name) {
                Some(value) => part.writer(&mut call).secret(value),
                None => part.writer(&mut call).absent(),
            },
            Source::Request(read) => read(request)?.write(&mut part.writer(&mut call)),
        }
        Some(call)
    }
}

impl Part {
    /// Returns a writer for the identity.
    fn writer(self, call: &mut Call) -> KeyWriter<'_> {
        match self {
            Self::Own => call.identity(),
            Self::Fair => call.fair(),
        }
    }
}

opaque!(By);

opaque!(LayerRequest<'_>, |this| method = this.method());
