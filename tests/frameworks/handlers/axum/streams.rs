//! Handlers of the examples of axum whose response goes on after the handler: a WebSocket and server-sent events.

use super::{assert_refused, bare};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use axum::routing::get;
use futures_util::{Stream, stream};
use ratelimit::rate_limit;
use std::convert::Infallible;
use std::net::SocketAddr;

/// A stand-in for the extractor of `axum-extra`.
struct TypedHeader<T>(T);

struct UserAgent(String);

impl<S: Sync> FromRequestParts<S> for TypedHeader<UserAgent> {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let value = parts.headers.get("user-agent").and_then(|value| value.to_str().ok());
        value.map(|value| Self(UserAgent(value.to_owned()))).ok_or(StatusCode::BAD_REQUEST)
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for TypedHeader<UserAgent> {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, StatusCode> {
        Ok(<Self as FromRequestParts<S>>::from_request_parts(parts, state).await.ok())
    }
}

/// Compiles as it stands: a refused client gets 429 instead of the upgrade. A permit would be returned at the upgrade, and the
/// compiler warns about one.
#[rate_limit(key = "ws", count = 1, by = "ip")]
async fn ws_handler(
    ws: WebSocketUpgrade,
    user_agent: Option<TypedHeader<UserAgent>>,
    ConnectInfo(addr): ConnectInfo<SocketAddr>,
) -> impl IntoResponse {
    let _ = (user_agent.map(|TypedHeader(agent)| agent.0), addr);
    ws.on_upgrade(async |_| {})
}

#[tokio::test]
async fn a_refused_websocket_is_not_upgraded() {
    let client = bare(Router::new().route("/ws", get(ws_handler))).await;
    let handshake = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let request =
        handshake.iter().fold(client.request("/ws"), |all, (name, value)| all.header(*name, *value));
    assert_eq!(request.send().await.unwrap().status(), 101);
    assert_refused(&client.get_with("/ws", &handshake).await);
}

/// It returns `Sse<impl Stream>`: "`#[rate_limit]` cannot turn a rejection into `Sse<_>`", with the note "write
/// `fallible`".
#[rate_limit(key = "sse", count = 1, by = "ip", fallible)]
async fn sse_handler(
    ConnectInfo(addr): ConnectInfo<SocketAddr>,
    TypedHeader(user_agent): TypedHeader<UserAgent>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(stream::iter([Ok(Event::default().data(format!("{} from {}", user_agent.0, addr.ip())))]))
}

#[tokio::test]
async fn server_sent_events_are_refused_before_they_begin() {
    let client = bare(Router::new().route("/sse", get(sse_handler))).await;
    let agent = [("user-agent", "test")];
    let events = client.get_with("/sse", &agent).await;
    assert_eq!(events.body, format!("data: test from {}\n\n", client.address));
    assert_refused(&client.get_with("/sse", &agent).await);
}
