//! Tests the addresses, headers and users that the attribute finds in requests and extractors of actix-web.

use super::server;
use crate::harness::client::{Client, Version};
use actix_web::body::MessageBody;
use actix_web::dev::{self, ServiceRequest, ServiceResponse};
use actix_web::error::ParseError;
use actix_web::http::header::{
    Header, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue, TryIntoHeaderValue,
};
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, Data, Form, Json, Path, Payload, Query, ReqData, ServiceConfig};
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse};
use ratelimit::__private::RequestArgument;
use ratelimit::identity::PeerAddr;
use ratelimit::{ClientIp, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use std::net::IpAddr;
use std::sync::Arc;

/// The user and the address that a middleware has found out.
#[derive(Clone)]
struct Session {
    user: Option<u64>,
    address: Option<IpAddr>,
}

impl UserId for Session {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        self.user
    }
}

impl ClientIp for Session {
    fn client_ip(&self) -> Option<IpAddr> {
        self.address
    }
}

/// Puts a session (from the headers `x-session` and `x-real-client`) and a peer (from the header `x-peer`) into the request.
/// Stands in for a middleware that verifies these headers.
async fn authenticated(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let text = |name: &str| Some(request.headers().get(name)?.to_str().unwrap().to_owned());
    let user = text("x-session").map(|user| user.parse().unwrap());
    let address = text("x-real-client").map(|address| address.parse().unwrap());
    let peer = text("x-peer").map(|peer| PeerAddr::from(peer.parse::<IpAddr>().unwrap()));
    if user.is_some() || address.is_some() {
        request.extensions_mut().insert(Session { user, address });
    }
    if let Some(peer) = peer {
        request.extensions_mut().insert(peer);
    }
    next.call(request).await
}

/// A header that identifies a user.
struct Token(Option<u64>);

impl TryIntoHeaderValue for Token {
    type Error = InvalidHeaderValue;

    fn try_into_value(self) -> Result<HeaderValue, InvalidHeaderValue> {
        HeaderValue::from_str(&self.0.unwrap_or_default().to_string())
    }
}

impl Header for Token {
    fn name() -> HeaderName {
        HeaderName::from_static("x-token")
    }

    fn parse<M: HttpMessage>(message: &M) -> Result<Self, ParseError> {
        let value = message.headers().get("x-token").ok_or(ParseError::Header)?;
        Ok(Self(value.to_str().ok().and_then(|value| value.parse().ok())))
    }
}

impl UserId for Token {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        self.0
    }
}

#[rate_limit(key = "address", count = 1, by = "ip")]
async fn address(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("")
}

#[rate_limit(key = "peer", count = 1, by = "ip")]
async fn peer(_: dev::PeerAddr, _: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("")
}

#[rate_limit(key = "session user", count = 1, by = "user")]
async fn session_user(_: Option<ReqData<Session>>, _: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("")
}

#[rate_limit(key = "session address", count = 1, by = "ip")]
async fn session_address(_: ReqData<Session>) -> Result<&'static str, Rejection> {
    Ok("")
}

#[rate_limit(key = "token", count = 1, by = "user")]
async fn token(_: web::Header<Token>, _: Data<String>) -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(key = "headers", count = 1, by = "header:x-api-key")]
async fn by_headers(_: &HeaderMap) -> Result<(), Rejection> {
    Ok(())
}

async fn headers(request: HttpRequest) -> Result<&'static str, Rejection> {
    by_headers(request.headers()).await?;
    Ok("")
}

/// A limited middleware. Its refusal reaches the layer as an error.
#[rate_limit(key = "middleware", count = 1, by = "ip")]
async fn limited(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    next.call(request).await
}

fn routes(config: &mut ServiceConfig) {
    let limited = web::resource("/middleware").wrap(from_fn(limited)).to(async || HttpResponse::Ok());
    let routes = web::scope("")
        .wrap(from_fn(authenticated))
        .app_data(Data::new(String::new()))
        .service(limited)
        .route("/address", web::get().to(address))
        .route("/peer", web::get().to(peer))
        .route("/session-user", web::get().to(session_user))
        .route("/session-address", web::get().to(session_address))
        .route("/token", web::get().to(token))
        .route("/headers", web::get().to(headers));
    config.service(routes);
}

fn client() -> Client {
    client_with(RateLimiter::in_memory())
}

fn client_with(limiter: RateLimiter) -> Client {
    Client::new(server::start(RateLimitLayer::new().limiter(limiter), routes), Version::Http1)
}

/// Asserts that the first request with these headers passes and the second one is refused.
async fn assert_has_its_own_limit(client: &Client, path: &str, headers: &[(&str, &str)]) {
    assert_eq!(client.get_with(path, headers).await.status, 200, "{path} with {headers:?}");
    let refused = client.get_with(path, headers).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true), "{refused:?}");
}

#[tokio::test]
async fn what_a_middleware_has_put_into_the_request_identifies() {
    let client = client();
    for session in ["1", "2"] {
        assert_has_its_own_limit(&client, "/session-user", &[("x-session", session)]).await;
        assert_has_its_own_limit(&client, "/token", &[("x-token", session)]).await;
    }
    assert_eq!(client.get("/session-user").await.status, 400, "no user");
    assert_eq!(client.get_with("/token", &[("x-token", "no number")]).await.status, 400);
    for address in ["203.0.113.1", "2001:db8::1"] {
        assert_has_its_own_limit(&client, "/session-address", &[("x-real-client", address)]).await;
    }
    assert_eq!(client.get_with("/session-address", &[("x-session", "1")]).await.status, 503, "no address");
}

#[tokio::test]
async fn the_peer_in_the_extensions_comes_before_the_socket() {
    let client = client();
    for peer in ["203.0.113.1", "203.0.113.2"] {
        assert_has_its_own_limit(&client, "/address", &[("x-peer", peer)]).await;
    }
    assert_has_its_own_limit(&client, "/address", &[]).await;
}

/// The peer and the headers may be in two arguments. All lines of the forwarding header are read.
#[tokio::test]
async fn a_trusted_proxy_says_who_the_client_is() {
    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).connect().await.unwrap();
    let client = client_with(limiter);
    for path in ["/peer", "/middleware"] {
        for forwarded in ["203.0.113.1", "203.0.113.2"] {
            let lines = [("x-forwarded-for", "198.51.100.1"), ("x-forwarded-for", forwarded)];
            assert_has_its_own_limit(&client, path, &lines).await;
        }
    }
}

#[tokio::test]
async fn a_header_is_read_if_the_request_has_it_once() {
    let client = client();
    assert_has_its_own_limit(&client, "/headers", &[("X-Api-Key", "a")]).await;
    assert_has_its_own_limit(&client, "/headers", &[("x-api-key", "b")]).await;
    for unknown in [&[][..], &[("x-api-key", "c"), ("x-api-key", "c")]] {
        assert_eq!(client.get_with("/headers", unknown).await.status, 400, "{unknown:?}");
    }
}

/// Each of these types identifies a function as a handler. So a limit without `by` causes a warning if an argument has such a
/// type.
#[test]
fn extractors_are_arguments_of_requests() {
    fn is_warned_about<T: RequestArgument + ?Sized>() {}
    is_warned_about::<HttpRequest>();
    is_warned_about::<ServiceRequest>();
    is_warned_about::<&HeaderMap>();
    is_warned_about::<dev::ConnectionInfo>();
    is_warned_about::<dev::PeerAddr>();
    is_warned_about::<Data<dyn Send>>();
    is_warned_about::<Form<()>>();
    is_warned_about::<web::Header<Token>>();
    is_warned_about::<Json<()>>();
    is_warned_about::<Path<()>>();
    is_warned_about::<Payload>();
    is_warned_about::<Query<()>>();
    is_warned_about::<ReqData<Session>>();
    is_warned_about::<web::ThinData<Arc<()>>>();
}
