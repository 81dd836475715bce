//! The frameworks: each folder has what one of them needs. `ARCHITECTURE.md` lists what is outside (*A framework is a folder*).
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

/// Finds the headers and the peer of a request type, for attributes and, if it has a `method` and a `path`, for a layer.
macro_rules! request_type {
    ($(#[$doc:meta])* [$($generic:ident)?] $type:ty, |$request:ident| {
        headers: $headers:expr,
        peer: $peer:expr,
        method: $method:expr,
        path: $path:expr,
    }) => {
        crate::frameworks::request_type! {
            $(#[$doc])* [$($generic)?] $type, |$request| {
                headers: $headers,
                peer: $peer,
            }
        }

        impl<$($generic)?> crate::layer::RequestParts for $type {
            fn method(&self) -> &str {
                let $request = self;
                $method
            }

            fn path(&self) -> &str {
                let $request = self;
                $path
            }
        }
    };
    ($(#[$doc:meta])* [$($generic:ident)?] $type:ty, |$request:ident| {
        headers: $headers:expr,
        peer: $peer:expr,
    }) => {
        $(#[$doc])*
        impl<$($generic)?> crate::__private::RequestPeer for $type {
            fn peer(&self) -> Option<crate::identity::PeerAddr> {
                let $request = self;
                $peer
            }

            fn headers(&self) -> Option<&dyn crate::identity::RequestHeaders> {
                let $request = self;
                Some($headers)
            }
        }

        impl<$($generic)?> crate::identity::RequestHeaders for $type {
            fn header(&self, name: &str) -> Option<&[u8]> {
                let $request = self;
                crate::identity::RequestHeaders::header($headers, name)
            }

            fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
                let $request = self;
                crate::identity::RequestHeaders::header_lines($headers, name, line);
            }
        }

        impl<$($generic)?> crate::__private::RequestArgument for $type {}
    };
}
use request_type;

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

/// The methods of [`ResponseParts`](crate::layer::ResponseParts) for a response with a status and a `HeaderMap` of this module `http`.
macro_rules! response_head {
    ($($http:ident)::+, |$response:ident, $code:ident| $set:expr) => {
        fn status(&self) -> u16 {
            self.status().as_u16()
        }

        fn set_status(&mut self, status: u16) {
            if let Ok($code) = $($http)::+::StatusCode::from_u16(status) {
                let $response = self;
                $set;
            }
        }

        crate::frameworks::map_headers!($($http)::+);
    };
}
use response_head;
