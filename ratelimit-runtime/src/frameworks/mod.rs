//! The frameworks: each folder has what one of them needs, and nothing outside of this folder knows any of them.
//!
//! A folder finds client addresses, headers and users in the requests (`request`), makes responses of rejections (`response`), adapts
//! [`RateLimitLayer`](crate::RateLimitLayer) (`layer`), and holds permits until a body ends (`body`), as far as its framework has these.

#[cfg(feature = "actix-web")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
#[cfg(feature = "_http")]
mod http;
#[cfg(feature = "poem")]
mod poem;
#[cfg(feature = "rocket")]
pub(crate) mod rocket;
#[cfg(feature = "salvo")]
mod salvo;
#[cfg(feature = "tonic")]
mod tonic;
#[cfg(feature = "tower")]
mod tower;

#[cfg(feature = "_http")]
pub use self::http::HeldBody;

/// The services that the layer makes in a framework.
pub(crate) mod layers {
    #[cfg(feature = "actix-web")]
    pub use super::actix::RateLimitMiddleware;
    #[cfg(feature = "poem")]
    pub use super::poem::RateLimitEndpoint;
    #[cfg(feature = "tower")]
    pub use super::tower::{LayerBody, RateLimitService, ResponseFuture};
}

/// Where the frameworks that use the `http` crate put the peer of a request.
#[cfg(feature = "_http")]
const EXTENSION_PEERS: &[http::ExtensionPeer] = &[
    #[cfg(feature = "axum")]
    axum::peer,
    #[cfg(feature = "tonic")]
    tonic::peer,
];

/// The framework of gRPC.
#[cfg(feature = "_http")]
const GRPC: &[http::Grpc] = &[
    #[cfg(feature = "tonic")]
    tonic::GRPC,
];

/// The methods of [`ResponseParts`](crate::layer::ResponseParts) for a response with a `HeaderMap` of this module `http`.
macro_rules! map_headers {
    ($($http:ident)::+) => {
        fn has(&self, name: &'static str) -> bool {
            self.headers().contains_key(name)
        }

        fn append(&mut self, name: &'static str, value: &[u8]) {
            use $($http)::+::header::{HeaderName, HeaderValue};
            if let Ok(value) = HeaderValue::from_bytes(value) {
                self.headers_mut().append(HeaderName::from_static(name), value);
            }
        }
    };
}
use map_headers;
