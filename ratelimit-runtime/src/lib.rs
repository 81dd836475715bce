#![cfg_attr(doc, doc = include_str!("docs/links.md"))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]
// Parts that only some frameworks use are compiled with each of them.
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

use ratelimit_limit as limit;

pub mod answer;
#[cfg(feature = "rocket")]
mod by_task;
pub mod clock;
pub mod context;
mod debug;
mod decision;
mod error;
mod frameworks;
mod key;
mod limiter;
mod lock;
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

#[cfg(doc)] // the guide is only part of the documentation
pub mod docs;

#[doc(hidden)]
#[allow(missing_docs)]
pub mod __private;

#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub mod __testing;

#[cfg(test)]
mod root_names;

// Some modules are written out here, because they also export what a room above them defines. An error about a missing name quotes
// the conditions, so they name the public features.

/// Permits and charges that last as long as a response: until its body ends, fails, or is dropped.
pub mod body {
    mod held;
    mod hold_body;
    mod holding;
    pub(crate) mod pieces;
    mod sent;
    pub(crate) mod streaming;

    #[cfg(any(
        feature = "axum",
        feature = "poem",
        feature = "salvo",
        feature = "tonic",
        feature = "tower"
    ))]
    pub use crate::frameworks::HeldBody;
    pub use held::Held;
    pub(crate) use held::{Holds, Settle};
    pub use hold_body::HoldBody;
    pub use holding::Holding;
    pub use sent::BodySent;
}

/// Identities: the values that say who is limited, and the request types that have them.
pub mod identity {
    mod by_display;
    pub(crate) mod client_ip;
    mod forwarded;
    mod peer;
    pub(crate) mod request;
    mod value;

    pub use crate::writer::KeyWriter;
    pub use by_display::ByDisplay;
    pub(crate) use client_ip::ClientIp;
    pub use forwarded::Forwarded;
    pub use peer::PeerAddr;
    pub use request::RequestHeaders;
    pub(crate) use request::UserId;
    pub use value::Identity;
}

/// The types around [`RateLimitLayer`]: the request that its limits read, and the types that it makes of a service.
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
    mod request;
    pub(crate) mod settings;

    #[allow(unused_imports, reason = "some frameworks need no type of the layer")]
    #[allow(unreachable_pub, reason = "rocket and salvo have no such type")]
    pub use crate::frameworks::layers::*;
    pub(crate) use finish::{ResponseParts, Swallowed};
    pub(crate) use limits::Deciding;
    pub use limits::LayerRequest;
    pub(crate) use request::RequestParts;
    pub(crate) use settings::{Entered, RateLimitLayer, Settings};
}

/// Limits that change while the service runs: what [`RateLimiter::overrides`] reads and writes.
pub mod overrides {
    pub use crate::limit::LimitChange;
    pub use crate::limiter::{KnownLimit, Override, OverrideEffect, OverrideTarget, Overrides};
}

/// Support of rocket: what handlers need that rocket does not have.
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
pub use limiter::current::{InstallError, install, scope};
pub use limiter::{Admitted, Charge, OnError, Permit, RateLimiter, RateLimiterBuilder, Status};
#[doc(inline)]
pub use ratelimit_limit::{Algorithm, Limit, LimitError, ParseLimitError, Refill};
#[doc = include_str!("rate_limit.md")]
pub use ratelimit_macros::rate_limit;
pub use rejection::{convert::FromRejection, error::Rejection};
pub use store::cost::Cost;
pub use store::memory::MemoryStore;
pub use store::redis::RedisStore;
