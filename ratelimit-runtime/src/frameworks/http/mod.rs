//! The code that the users of the `http` crate share: axum, tonic, poem, salvo, tower and hyper.

mod request;
mod response;

pub(super) use request::peer;
pub(super) use response::{refusal, status};

use crate::identity::PeerAddr;
use crate::layer::Swallowed;
use crate::rejection::Rejection;
use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderMap, HeaderValue, Response};

/// Finds the peer that a framework has put into the extensions of a request.
pub(super) type ExtensionPeer = fn(&Extensions) -> Option<PeerAddr>;

/// The functions of a framework of gRPC about responses.
pub(super) struct Grpc {
    /// Whether a `Rejection` was turned into the response with these extensions by this library.
    pub(super) is_answer: fn(&Extensions) -> bool,
    /// The response to a refused request with this content type.
    pub(super) refusal: fn(&Rejection, &HeaderValue) -> Response<Vec<u8>>,
    /// Corrects the headers and the extensions of a response, see `ResponseParts::mend_grpc`.
    pub(super) mend: fn(&mut Response<()>, &Rejection, Option<bool>) -> Option<Swallowed>,
}

/// The content type of a gRPC request or response. `None` if it is something else.
pub(super) fn grpc_type(headers: &HeaderMap) -> Option<&HeaderValue> {
    let content_type = headers.get(CONTENT_TYPE)?;
    let subtype = content_type.as_bytes().strip_prefix(b"application/grpc")?;
    matches!(subtype, [] | [b'+' | b'-' | b';', ..]).then_some(content_type)
}
