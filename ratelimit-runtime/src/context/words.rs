//! The functions for `by` that read the request context: `client_ip()`, `user()` and `header(name)`.

use super::{RequestContext, User};
use crate::error::ErrorKind;
use crate::identity::Identity;
use crate::macros::opaque;
use crate::writer::KeyWriter;
use std::net::IpAddr;
use std::sync::Arc;

const NO_CONTEXT: &str = "the call has no request context; add `RateLimitLayer` to the service; a task that the service spawns \
     needs the context of `RequestContext::current`; in a server function of dioxus, write `by = \"ip\"` and take `request: Parts`";
const NO_ADDRESS: &str = "the request context does not know the client's address; with axum 0.8, serve with \
     `into_make_service_with_connect_info::<SocketAddr>()`; elsewhere, put a `ratelimit::identity::PeerAddr` into the request's extensions";
const NOT_KEPT: &str =
    "the request context does not have this header; name it with `RateLimitLayer::keep_header`";

/// The result of looking up a value in the request context.
#[derive(Clone)]
enum Found<T> {
    Value(T),
    /// The request does not have the value.
    Absent,
    /// The service is not set up to find the value. The text says why.
    Not(&'static str),
}

impl<T> Found<T> {
    fn in_context(find: impl FnOnce(&RequestContext) -> Self) -> Self {
        RequestContext::current().map_or(Self::Not(NO_CONTEXT), |context| find(&context))
    }

    fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Not(_) => None,
        }
    }

    fn write(&self, key: &mut KeyWriter<'_>, write: impl FnOnce(&T, &mut KeyWriter<'_>)) {
        match self {
            Self::Value(value) => write(value, key),
            Self::Absent => key.absent(),
            Self::Not(why) => key.fail(ErrorKind::Configuration, why),
        }
    }
}

opaque! {
    /// Prints no value, because it may be a token.
    [T] Found<T>
}

/// The address of the client in the request context. See [`client_ip`] and the example of [`RequestContext`].
#[derive(Clone, Debug)]
pub struct ContextClientIp(Found<IpAddr>);

/// Returns the address of the client of the current request. Use it in functions that have no argument with the address:
/// `by = ratelimit::context::client_ip()`.
///
/// This function reads the [`RequestContext`] of the task. Without a context, a call with this `by` is rejected as unavailable.
pub fn client_ip() -> ContextClientIp {
    ContextClientIp(Found::in_context(|context| context.client_ip_word().0))
}

impl RequestContext {
    pub(crate) fn client_ip_word(&self) -> ContextClientIp {
        ContextClientIp(self.client_ip().map_or(Found::Not(NO_ADDRESS), Found::Value))
    }
}

impl ContextClientIp {
    /// Returns the address, if there is one.
    pub fn get(&self) -> Option<IpAddr> {
        self.0.get().copied()
    }
}

impl Identity for ContextClientIp {
    fn write(&self, key: &mut KeyWriter<'_>) {
        // In a function that returns a future, the context of the place where the future is polled comes first.
        if key.write_late(|key| client_ip().write(key)) {
            return;
        }
        self.0.write(key, |address, key| key.ip(*address));
    }
}

/// The user in the request context. See [`user`].
#[derive(Clone, Debug)]
pub struct ContextUser(Found<User>);

/// Returns the user of the current request. Use it in functions that have no argument with the user:
/// `by = ratelimit::context::user()`.
///
/// [`RequestContext::set_user`] sets the user. A request without a user is rejected as unidentified. Without a context, a call is
/// rejected as unavailable.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use ratelimit::context::{self, RequestContext};
/// use ratelimit::{Rejection, rate_limit};
///
/// #[rate_limit(key = "user_example", count = 1, by = context::user())]
/// async fn export() -> Result<(), Rejection> { Ok(()) }
///
/// let request_of = |id: u64| {
///     let request = RequestContext::new();
///     request.set_user(id); // the authentication does this
///     request
/// };
/// assert!(request_of(7).scope(export()).await.is_ok());
/// assert!(request_of(7).scope(export()).await.is_err());
/// assert!(request_of(8).scope(export()).await.is_ok());
/// # }
/// ```
pub fn user() -> ContextUser {
    ContextUser(Found::in_context(|context| {
        context.made.user.lock().clone().map_or(Found::Absent, Found::Value)
    }))
}

impl ContextUser {
    /// Whether the request has a user, for `skip_if = !ratelimit::context::user().is_known()`.
    pub fn is_known(&self) -> bool {
        self.0.get().is_some()
    }
}

impl Identity for ContextUser {
    fn write(&self, key: &mut KeyWriter<'_>) {
        if key.write_late(|key| user().write(key)) {
            return;
        }
        self.0.write(key, Identity::write);
    }
}

/// A header in the request context. See [`header`].
#[derive(Clone, Debug)]
pub struct ContextHeader {
    name: Arc<str>,
    found: Found<Arc<[u8]>>,
}

/// Returns a header of the current request. Use it in functions that have no argument with the header:
/// `by = ratelimit::context::header("x-api-key")`.
///
/// `RateLimitLayer` keeps only the headers that `RateLimitLayer::keep_header` names. With any other header, each call is rejected
/// as unavailable. The key contains a keyed hash of the header's value. A request that does not have the header exactly once is
/// rejected as unidentified.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use ratelimit::context::{self, RequestContext};
/// use ratelimit::{Rejection, rate_limit};
///
/// #[rate_limit(key = "header_example", count = 1, by = context::header("x-api-key"))]
/// async fn export() -> Result<(), Rejection> { Ok(()) }
///
/// // The layer does this.
/// let request_with = |key: &str| RequestContext::new().with_header("x-api-key", Some(key.as_bytes()));
/// assert!(request_with("a").scope(export()).await.is_ok());
/// assert!(request_with("a").scope(export()).await.is_err());
/// assert!(request_with("b").scope(export()).await.is_ok());
/// # }
/// ```
pub fn header(name: &str) -> ContextHeader {
    let mut known = None;
    let found = Found::in_context(|context| {
        let kept = context.known.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        let Some(header) = kept else { return Found::Not(NOT_KEPT) };
        known = Some(Arc::clone(&header.name));
        header.value.clone().map_or(Found::Absent, Found::Value)
    });
    ContextHeader { name: known.unwrap_or_else(|| name.into()), found }
}

impl Identity for ContextHeader {
    fn write(&self, key: &mut KeyWriter<'_>) {
        let name = Arc::clone(&self.name);
        if key.write_late(move |key| header(&name).write(key)) {
            return;
        }
        self.found.write(key, |value, key| key.secret(value));
    }
}
