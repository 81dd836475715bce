//! Support for axum: extractors, responses, and bodies that hold permits and charges. The layer for axum is that of tower.

use super::http::{refusal, status};
use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::body::hold_body::held_beside;
use crate::body::{Held, HeldBody, HoldBody, Holding};
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::macros::delegate;
use crate::rejection::Rejection;
use axum::Extension;
use axum::body::Body;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, State};
use axum::http::{Extensions, StatusCode};
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};

/// The peer that `into_make_service_with_connect_info` provides.
impl RequestPeer for ConnectInfo<SocketAddr> {
    fn peer(&self) -> Option<PeerAddr> {
        Some(self.0.into())
    }
}

/// The peer, or a request, that a middleware has put into the request.
impl<T: RequestPeer> RequestPeer for Extension<T> {
    fn peer(&self) -> Option<PeerAddr> {
        self.0.peer()
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        self.0.headers()
    }
}

// Finds the client, if the service has its own connection type and this type knows the client.
delegate! { impl [T: ClientIp] ClientIp for ConnectInfo<T> => { fn client_ip(&self) -> Option<IpAddr>; } }

// Finds the client and the user that a middleware has put into the request.
delegate! { impl [T: ClientIp] ClientIp for Extension<T> => { fn client_ip(&self) -> Option<IpAddr>; } }
delegate! { impl [T: UserId] UserId for Extension<T> => { type Id; fn user_id(&self) -> Option<T::Id>; } }

impl<T> RequestArgument for ConnectInfo<T> {}
impl<T> RequestArgument for Extension<T> {}
impl<T> RequestArgument for Path<T> {}
impl<T> RequestArgument for State<T> {}

callers! {
    ArgumentOf [&&&&&&&&&] if FromRequestParts<()> => OfClients;
    ArgumentOf [&&&&&&&&] if FromRequest<()> => OfClients;
    ReturnOf [&&&&&&&&&] if IntoResponse => OfClients;
}

pub(super) fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    let connected = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| (*peer).into());
    // Tests set `MockConnectInfo` in place of a peer. axum's own extractor reads it too.
    let mocked =
        || extensions.get::<MockConnectInfo<SocketAddr>>().map(|MockConnectInfo(peer)| (*peer).into());
    connected.or_else(mocked)
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        (&self).into_response()
    }
}

/// The same answer for a borrowed rejection, such as one that [`Rejection::find`] has found in an error.
impl IntoResponse for &Rejection {
    fn into_response(self) -> Response {
        refusal(self).map(Body::from)
    }
}

/// The status and the body of the [`answer`](Rejection::answer), without `Retry-After`. axum sends a string as `text/plain`,
/// even if it is JSON.
impl From<Rejection> for (StatusCode, String) {
    fn from(rejection: Rejection) -> Self {
        let answer = rejection.answer();
        (status(answer.status), String::from_utf8_lossy(&answer.body).into_owned())
    }
}

impl HoldBody for Body {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        if held.is_empty() { self } else { Self::new(HeldBody::new(self).hold(held)) }
    }
}

held_beside! { [S] Sse<S>; }

impl<R: IntoResponse> IntoResponse for Holding<R> {
    fn into_response(self) -> Response {
        match self.response {
            Ok(response) => response.into_response().hold(self.held),
            Err(rejection) => rejection.into_response(),
        }
    }
}
