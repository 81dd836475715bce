#![cfg_attr(doc, doc = include_str!("docs/links.md"))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]
// Each framework feature compiles the shared code, so some of it is unused if only few features are on.
#![cfg_attr(
    not(all(
        feature = "actix-web",
        feature = "axum",
        feature = "poem",
        feature = "rocket",
        feature = "salvo",
        feature = "tonic"
    )),
    allow(dead_code, unused_imports, unused_macros)
)]

pub mod adaptive;
pub mod answer;
pub mod body;
#[cfg(feature = "rocket")]
mod by_task;
pub mod clock;
pub mod context;
mod coop;
mod decision;
mod error;
mod frameworks;
pub mod identity;
mod key;
pub mod learn;
mod limit;
mod limiter;
mod lock;
mod macros;
pub mod observe;
pub mod outgoing;
pub mod per;
mod proxies;
mod random;
pub mod rejection;
pub mod store;
mod tasks;
pub mod testing;
mod writer;

#[cfg(doc)] // the guide is needed only for rustdoc
pub mod docs;

#[doc(hidden)]
#[allow(missing_docs)]
pub mod __private;

#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub mod __testing;

#[cfg(test)]
mod tests;

// This module is inline, because it also exports types of `frameworks`. Its condition names the public features, because an error
// about a missing name quotes the condition.

/// The types around [`RateLimitLayer`]: the request that its limits read, and the service, the body and the future that the layer
/// makes.
#[cfg(any(
    feature = "actix-web",
    feature = "axum",
    feature = "poem",
    feature = "rocket",
    feature = "salvo",
    feature = "tonic",
    feature = "tower"
))]
pub mod layer {
    mod finish;
    pub(crate) mod limits;
    pub(crate) mod settings;

    #[cfg(feature = "tower")]
    pub use crate::frameworks::{LayerBody, ResponseFuture};
    pub(crate) use finish::{ResponseParts, Swallowed};
    pub use limits::LayerRequest;
    pub use settings::RateLimitService;
    pub(crate) use settings::{Entered, RateLimitLayer, RequestParts, Settings};
}

/// The types that [`RateLimiter::overrides`] reads and writes. Overrides change limits while the service runs.
pub mod overrides {
    pub use crate::limit::LimitChange;
    pub use crate::limiter::{
        KnownLimit, Override, OverrideEffect, OverrideTarget, OverrideUpdate, Overrides,
    };
}

/// Support for rocket: a type that handlers need and that rocket does not have.
#[cfg(feature = "rocket")]
pub mod rocket {
    pub use crate::frameworks::rocket::RequestHead;
}

pub use decision::Decision;
pub use error::{Error, ErrorKind};
pub use identity::client_ip::ClientIp;
pub use identity::request::UserId;
pub use key::{AsKey, Key};
#[cfg(any(
    feature = "actix-web",
    feature = "axum",
    feature = "poem",
    feature = "rocket",
    feature = "salvo",
    feature = "tonic",
    feature = "tower"
))]
pub use layer::{limits::By, settings::RateLimitLayer};
pub use limiter::current::scope;
pub use limiter::installed::install;
pub use limiter::{Admitted, Charge, OnError, Permit, RateLimiter, RateLimiterBuilder, Status};
#[doc(inline)]
pub use ratelimit_limit::{Algorithm, Limit, LimitError, ParseLimitError, Refill};
#[doc = include_str!("rate_limit.md")]
pub use ratelimit_macros::rate_limit;
pub use rejection::{convert::FromRejection, error::Rejection};
pub use store::cost::Cost;
pub use store::memory::MemoryStore;
pub use store::redis::RedisStore;
