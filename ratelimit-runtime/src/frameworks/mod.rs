//! Support for web frameworks, with one module for each framework.
//!
//! A module has the parts that its framework needs. `request` finds client addresses, headers and users in requests. `response`
//! makes responses of rejections, and holds permits until a body ends. `layer` adapts
//! [`RateLimitLayer`](crate::RateLimitLayer).
//!
//! `layer` knows no framework: it reads a request through `RequestParts` and changes a response through `ResponseParts`, so one
//! layer serves all. `http` is shared by all frameworks on the `http` crate.
//!
//! A new framework needs, outside of its module:
//!
//! - its feature in `Cargo.toml`, in the lists of `lib.rs` and `body`, in `xtask/src/features.rs` and `xtask/src/release/api.rs`;
//! - the depths of its extractors and responses in the table of `__private::warn`, which has one order for all frameworks, and as
//!   many rows as `expand/callers.rs` of the macro writes `&`;
//! - its other attributes in `neighbors.rs` of `ratelimit-syntax`, and the names of its types in `expand` of `ratelimit-macros`
//!   (`callers`, `output`, `warn`, `refusal`);
//! - its types in the messages of `__private::{target, request, address}` and `body::hold_body`, and in the table of
//!   [`RateLimitLayer`](crate::RateLimitLayer);
//! - the contract in `tests/frameworks`, an example, and the pages *Frameworks*, *Tests of services* and *README*.
//!
//! rocket also needs `by_task`, and the module `rocket` of `lib.rs`. rmcp routes calls by messages and not by requests, so it needs
//! no layer and no depth of its own: its arguments and results are known types. Its tests are in `tests/mcp`.

#[cfg(feature = "actix-web")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
#[cfg(feature = "_http")]
pub(crate) mod http;
#[cfg(feature = "poem")]
mod poem;
#[cfg(feature = "rmcp-3")]
mod rmcp;
#[cfg(feature = "rocket")]
pub(crate) mod rocket;
#[cfg(feature = "salvo")]
mod salvo;
#[cfg(feature = "tonic")]
mod tonic;
#[cfg(feature = "tower")]
mod tower;

#[cfg(feature = "tower")]
pub use tower::{LayerBody, ResponseFuture};

/// A `PeerAddr` takes precedence over the address of the socket, because a listener that reads the PROXY protocol sets both.
#[cfg(feature = "_http")]
fn peer(extensions: &::http::Extensions) -> Option<crate::identity::PeerAddr> {
    let peer = extensions.get().copied();
    #[cfg(feature = "axum")]
    let peer = peer.or_else(|| axum::peer(extensions));
    #[cfg(feature = "tonic")]
    let peer = peer.or_else(|| tonic::peer(extensions));
    peer
}

/// Implements the traits that find the headers and the peer of a request, for a request type. If the macro also receives a
/// `method` and a `path`, layers can use the type.
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
            fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
                let $request = self;
                crate::identity::RequestHeaders::header_lines($headers, name, line);
            }
        }

        impl<$($generic)?> crate::__private::RequestArgument for $type {}
    };
}
use request_type;

/// Implements the header methods of [`ResponseParts`](crate::layer::ResponseParts) for a response with a `HeaderMap`. The
/// argument is the `http` module of the framework.
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

        fn is_grpc(&self) -> bool {
            let content_type = self.headers().get($($http)::+::header::CONTENT_TYPE);
            content_type.is_some_and(|content_type| crate::frameworks::is_grpc(content_type.as_bytes()))
        }
    };
}
use map_headers;

/// Whether this is the content type of a gRPC request or response.
fn is_grpc(content_type: &[u8]) -> bool {
    let subtype = content_type.strip_prefix(b"application/grpc");
    matches!(subtype, Some([] | [b'+' | b'-' | b';', ..]))
}

/// Implements the methods of [`ResponseParts`](crate::layer::ResponseParts) for a response with a status and a `HeaderMap`. The
/// first argument is the `http` module of the framework.
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
