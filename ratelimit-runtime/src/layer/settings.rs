//! `RateLimitLayer`, its settings, and its handling of a request.

use super::finish;
use super::limits::{By, LayerLimit};
use crate::__private::{Check, RequestPeer};
use crate::answer::{Answers, RateLimitHeaders};
use crate::context::RequestContext;
use crate::error::Error;
use crate::identity::RequestHeaders;
use crate::limit::Limit;
use crate::limiter::current::{current, in_scope};
use crate::limiter::{CurrentLimiter, RateLimiter};
use crate::macros::opaque;
use crate::rejection::Rejection;
use std::panic::Location;
use std::sync::Arc;

/// The middleware of all frameworks. It sets the [`RequestContext`] of each request, adds rate-limit header fields to the
/// responses, corrects responses that hide a refusal, and applies its own limits before the body of the request is read.
///
/// Add it outside the handlers that it serves, and inside CORS, so that refusals have the CORS headers:
///
/// | framework | where |
/// |---|---|
/// | axum, tower | `Router::layer(RateLimitLayer::new())`, `ServiceBuilder::layer(..)` |
/// | tonic | `Server::builder().layer(RateLimitLayer::new())` |
/// | actix-web | `App::new().wrap(RateLimitLayer::new())` |
/// | poem | `Route::new().with(RateLimitLayer::new())` |
/// | salvo | `Router::new().hoop(RateLimitLayer::new())` |
/// | rocket | `rocket::build().attach(RateLimitLayer::new())` |
///
/// Attributes work without the layer. The layer is needed for the header fields on admitted calls, for
/// `by = ratelimit::context::client_ip()`, and to correct answers that hide a refusal.
///
/// The type has no parameters, and clones share their settings. A layer inside another layer uses the context of the outer
/// layer, and the outer layer writes the header fields.
///
/// ```
/// use ratelimit::{By, Limit, RateLimitLayer};
/// use std::time::Duration;
///
/// let layer = RateLimitLayer::new().limit("api", Limit::counter(600, Duration::from_secs(60)), By::ip());
/// ```
///
/// [Frameworks](crate::docs::frameworks) shows it in a service of each framework.
#[derive(Clone, Default)]
#[must_use = "a layer does nothing until you add it to a service"]
pub struct RateLimitLayer {
    pub(crate) settings: Arc<Settings>,
}

#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// The layer's own limiter, if it has one.
    pub(crate) limiter: Option<RateLimiter>,
    answers: Option<Answers>,
    /// `None`: those of the current draft.
    pub(super) headers: Option<RateLimitHeaders>,
    /// Whether to correct a status that hides a refusal. `None`: only the status of an internal error is corrected.
    pub(super) corrects_status: Option<bool>,
    kept_headers: Vec<Box<str>>,
    pub(super) limits: Vec<LayerLimit>,
}

impl RateLimitLayer {
    /// Creates a layer that sets the request context and adds the header fields `RateLimit` and `RateLimit-Policy`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this limiter for the requests that pass through, as [`scope`](crate::scope) does for a future. The default is the
    /// scoped limiter, else the installed one. Use this method in tests that run a server, because `scope` does not apply to
    /// the tasks that a server spawns for its connections.
    pub fn limiter(self, limiter: RateLimiter) -> Self {
        self.with(|settings| settings.limiter = Some(limiter))
    }

    /// Sets the header fields of responses. By default, they are those of the newest draft, now [`RateLimitHeaders::Draft11`]; a
    /// later version of this library may follow a later draft.
    pub fn headers(self, headers: RateLimitHeaders) -> Self {
        self.with(|settings| settings.headers = Some(headers))
    }

    /// Sets the form of the answers to refused requests that pass through. The default is the form of
    /// [`install_answers`](crate::answer::install_answers), else plain text.
    pub fn answers(self, answers: Answers) -> Self {
        self.with(|settings| settings.answers = Some(answers))
    }

    /// Sets whether a response that hides a refusal gets the right status. `true`: if its status is an error, such as 400 or
    /// 404. `false`: never. The default: only if its status is 500.
    ///
    /// An error type hides a refusal if it accepts a [`Rejection`](crate::Rejection) and answers it like any other error. This
    /// happens with a blanket conversion, such as `impl<E: Into<anyhow::Error>> From<E> for AppError`, or if the function that
    /// chooses the status ends in `_ => 500`. The layer always adds `Retry-After` to such a response, and logs a warning once
    /// for each limit. The right status is the one of [`Rejection::answer`](crate::Rejection::answer): 429, 400 or 503. The
    /// body of the response does not change. With gRPC, the codes `INTERNAL` and `UNKNOWN` are corrected by default.
    ///
    /// The layer knows the last refusal of a request, but not which error the response reports. If a function catches a refusal
    /// and then fails for another reason, the layer corrects that response too. Turn the correction off if this happens in your
    /// service.
    pub fn correct_status(self, correct: bool) -> Self {
        self.with(|settings| settings.corrects_status = Some(correct))
    }

    /// Keeps a header of the request for `by = ratelimit::context::header(name)`. Without this setting, each call with this
    /// `by` is rejected as unavailable.
    pub fn keep_header(self, name: &str) -> Self {
        self.with(|settings| settings.kept_headers.push(name.to_ascii_lowercase().into()))
    }

    /// Limits all requests that pass through, before the framework reads the body. Several limits are decided together, all or
    /// nothing. [`limiter`](Self::limiter) applies to all of them, even if it is called later.
    ///
    /// `name` is the name of the limit, like the attribute's `key`. Limits of layers and attributes with one name share one state:
    /// a warning is logged if their numbers differ, or if one request is counted twice. A limit that waits makes the request wait. The permit of a
    /// concurrency limit is held until the service has returned the response. If a permit must last until the body ends, take
    /// it in the handler.
    #[track_caller]
    pub fn limit(self, name: &'static str, limit: Limit, by: By) -> Self {
        let place = Location::caller();
        self.with(|settings| settings.limits.push(LayerLimit { name, limit, by, place }))
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }

    /// Puts the layer around a service.
    pub(crate) fn around<S>(&self, inner: S) -> RateLimitService<S> {
        RateLimitService { inner, settings: Arc::clone(&self.settings) }
    }
}

impl Settings {
    /// Returns the limiter of this layer, else the current one.
    pub(super) fn current_limiter(&self) -> Result<CurrentLimiter, Error> {
        match &self.limiter {
            Some(limiter) => Ok(CurrentLimiter::Owned(limiter.clone())),
            None => current("RateLimitLayer"),
        }
    }

    /// Creates the context of a request. If an outer layer has set a context, this layer uses that context, so that all
    /// decisions are in one place.
    pub(crate) fn enter(&self, request: &dyn RequestParts) -> Entered {
        self.enter_within(RequestContext::current(), request)
    }

    /// Like [`enter`](Self::enter), but with the context that an outer layer has set, if any.
    pub(crate) fn enter_within(&self, outer: Option<RequestContext>, request: &dyn RequestParts) -> Entered {
        let is_outermost = outer.is_none();
        let mut context = outer.unwrap_or_else(|| self.first_context(request));
        if self.has_limits() {
            context = context.within_limits(self.limits.iter().map(|limit| limit.name));
        }
        for name in &self.kept_headers {
            context = context.with_header(name, request.header(name));
        }
        if let Some(answers) = &self.answers {
            context = context.with_answers(answers.clone());
        }
        Entered { context, is_outermost }
    }

    /// Waits for `deciding`, the result of [`decide`](Self::decide).
    ///
    /// An admitted request is passed to `answer`, which runs in the context of the request and in the scope of the layer's
    /// limiter. After that, everything that the limits hold is returned. A refused request is returned with the rejection.
    pub(crate) async fn pass<R, T>(
        &self,
        context: &RequestContext,
        deciding: Option<Check>,
        request: R,
        answer: impl AsyncFnOnce(R) -> T,
    ) -> Result<T, (Rejection, R)> {
        let mut admission = None;
        if let Some(deciding) = deciding {
            match context.clone().scope(deciding).await {
                Ok(admitted) => admission = Some(admitted),
                Err(rejection) => return Err((rejection, request)),
            }
        }
        let answering = context.clone().scope(answer(request));
        let answered = in_scope(self.limiter.clone(), answering).await;
        drop(admission);
        Ok(answered)
    }

    fn first_context(&self, request: &dyn RequestParts) -> RequestContext {
        let Ok(limiter) = self.current_limiter() else { return RequestContext::new() };
        let peer = request.peer();
        if peer.is_none() {
            finish::warn_no_peer();
        }
        let client = limiter.resolve_client(peer.as_ref(), Some(request));
        RequestContext::of_addresses(peer, client.ok())
    }
}

/// A service of tower or actix-web, or an endpoint of poem, with a [`RateLimitLayer`] around it.
#[derive(Clone)]
pub struct RateLimitService<S> {
    pub(crate) inner: S,
    pub(crate) settings: Arc<Settings>,
}

opaque!([S: std::fmt::Debug] RateLimitService<S>, |this| inner = this.inner);

/// A request that has entered a layer.
pub(crate) struct Entered {
    pub(crate) context: RequestContext,
    /// Whether no other layer is around this layer. The outermost layer writes the header fields.
    pub(crate) is_outermost: bool,
}

opaque!(RateLimitLayer, |this| limits =
    this.settings.limits.iter().map(|limit| limit.name).collect::<Vec<_>>());

/// The parts of a request that a layer reads, besides its peer and its headers. Each framework implements this trait for its
/// request type.
pub(crate) trait RequestParts: RequestPeer + RequestHeaders {
    /// The method, such as `GET`.
    fn method(&self) -> &str;

    /// The path of the URL, without the query, as the client has sent it.
    fn path(&self) -> &str;
}
