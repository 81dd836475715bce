#![cfg_attr(doc, doc = include_str!("docs/links.md"))]
#![doc = include_str!("../README.md")]

mod answer;
mod clock;
mod context;
mod decision;
mod error;
mod hold;
mod identity;
mod key;
#[cfg(feature = "_web")]
mod layer;
mod limit;
mod limiter;
mod lock;
pub mod observe;
mod proxies;
mod rejection;
pub mod store;
pub mod testing;
mod web;

#[cfg(doc)] // the guide is only part of the documentation
pub mod docs;

#[doc(hidden)]
#[allow(missing_docs)]
pub mod __private;

#[doc(hidden)]
pub mod __testing;

pub use answer::{Answer, Answers, Headers, InstallAnswersError, install_answers};
pub use clock::{Clock, ManualClock, SystemClock, TokioClock};
pub use context::{
    ContextClientIp, ContextHeader, ContextUser, Recorded, RequestContext, client_ip, header, user,
};
pub use decision::Decision;
pub use error::{Error, ErrorKind};
// An error about a missing name quotes these conditions, so they name the public features.
#[cfg(any(feature = "axum", feature = "poem", feature = "salvo", feature = "tonic", feature = "tower"))]
pub use hold::HeldBody;
pub use hold::{Held, HoldBody, Holding, Sent};
pub use identity::{ClientIp, Displayed, Identity, PeerAddr, RequestHeaders, UserId};
pub use key::{AsKey, Key, KeyWriter};
#[cfg(feature = "poem")]
pub use layer::RateLimitEndpoint;
#[cfg(feature = "actix-web")]
pub use layer::RateLimitMiddleware;
#[cfg(any(
    feature = "actix-web",
    feature = "axum",
    feature = "poem",
    feature = "rocket",
    feature = "salvo",
    feature = "tonic",
    feature = "tower"
))]
pub use layer::{By, LayerRequest, RateLimitLayer};
#[cfg(feature = "tower")]
pub use layer::{LayerBody, RateLimitService, ResponseFuture};
pub use limit::{Algorithm, Limit, LimitChange, LimitError, ParseLimitError, Refill};
pub use limiter::current::{InstallError, install};
pub use limiter::{
    Admitted, Charge, MetLimit, OnError, Override, OverrideEffect, OverrideTarget, Overrides, Permit,
    RateLimiter, RateLimiterBuilder, Status,
};
pub use proxies::Forwarded;
#[doc = include_str!("rate_limit.md")]
pub use ratelimit_macros::rate_limit;
pub use rejection::{FromRejection, Limited, Rejection, Unavailable, Unidentified};
#[doc(inline)]
pub use scope::scope;
pub use store::memory::MemoryStore;
pub use store::redis::RedisStore;

/// Support of rocket: what handlers need that rocket does not have.
#[cfg(feature = "rocket")]
pub mod rocket {
    pub use crate::web::rocket::RequestHead;
}

/// Scoped limiters, which apply to one future.
pub mod scope {
    pub use crate::limiter::current::{current_scope as current, scope};
}
