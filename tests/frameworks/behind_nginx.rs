//! Tests a service behind a real nginx. The limit applies to the client that the proxies report, whatever headers the client
//! sends.

use crate::harness::client::{Client, Version};
use crate::harness::contract::in_context;
use crate::harness::server;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::routing::get;
use ratelimit::identity::Forwarded;
use ratelimit::{RateLimitLayer, RateLimiter, RateLimiterBuilder, rate_limit};
use std::net::SocketAddr;
use support::{Nginx, limited};

/// Makes nginx append the address of its peer to the header of the request.
const APPENDS: &str = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";
/// Makes nginx replace the header of the request.
const REAL_IP: &str = "proxy_set_header X-Real-IP $remote_addr;";
const RFC_7239: &str = "proxy_set_header Forwarded \"for=$remote_addr;proto=http\";";

limited! {
    #[rate_limit(key = "request", count = 1, by = "ip")] by_request(_: Request);
    #[rate_limit(key = "two", count = 1, by = "ip")] by_two_arguments(_: ConnectInfo<SocketAddr>, _: HeaderMap);
    #[rate_limit(key = "peer", count = 1, by = "ip")] by_peer(_: ConnectInfo<SocketAddr>);
}

const ROUTES: [&str; 4] = ["/request", "/two", "/peer", "/context"];

fn routes() -> Router {
    Router::new()
        .route("/request", get(by_request))
        .route("/two", get(by_two_arguments))
        .route("/peer", get(by_peer))
        .route("/context", get(in_context))
}

/// Serves all routes in a layer with a limiter.
async fn serve(limiter: RateLimiterBuilder) -> SocketAddr {
    let limiter = limiter.connect().await.unwrap();
    server::serve(routes().layer(RateLimitLayer::new().limiter(limiter))).await
}

/// Asserts that each client has its own limit on each route, and that it cannot avoid the limit with its own headers.
async fn assert_each_client_has_its_own_limit(nginx: &Nginx) {
    for path in ROUTES {
        let (one, other) = (client(nginx), client(nginx));
        assert_eq!(one.get(path).await.status, 200, "{path}");
        assert_eq!(one.get(path).await.status, 429, "{path}");
        let address = other.address.to_string();
        for forged in ["6.6.6.6", "2001:db8::6", "unknown", address.as_str(), "127.0.0.1", ""] {
            for header in ["x-forwarded-for", "x-real-ip", "forwarded", "cf-connecting-ip"] {
                let value =
                    if header == "forwarded" { format!("for=\"{forged}\"") } else { forged.to_owned() };
                let reply = one.get_with(path, &[(header, &value)]).await;
                assert_eq!(reply.status, 429, "{path} with {header}: {value}");
            }
        }
        assert_eq!(other.get(path).await.status, 200, "{path}");
    }
}

fn client(nginx: &Nginx) -> Client {
    Client::new(nginx.address(), Version::Http1)
}

fn behind(application: SocketAddr, directives: &str) -> Nginx {
    Nginx::start(&application.to_string(), directives)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_forwarded_client_is_limited() {
    for (forwarded, directives) in [
        (Forwarded::XForwardedFor, APPENDS),
        (Forwarded::Rfc7239, RFC_7239),
        (Forwarded::Single("x-real-ip"), REAL_IP),
    ] {
        let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.1"]).forwarded_by(forwarded);
        let application = serve(limiter).await;
        assert_each_client_has_its_own_limit(&behind(application, directives)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_proxies_in_a_row_are_trusted_by_address_or_by_number() {
    for limiter in
        [RateLimiter::builder().trusted_proxies(["127.0.0.1"]), RateLimiter::builder().trusted_hops(2)]
    {
        let application = serve(limiter).await;
        let inner = behind(application, APPENDS);
        assert_each_client_has_its_own_limit(&Nginx::start(&inner.address().to_string(), APPENDS)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_around_the_proxy_is_limited_by_its_own_address() {
    let application = serve(RateLimiter::builder().trusted_proxies(["127.0.0.1"])).await;
    for path in ROUTES {
        let direct = Client::new(application, Version::Http1);
        assert_eq!(direct.get_with(path, &[("x-forwarded-for", "203.0.113.7")]).await.status, 200, "{path}");
        assert_eq!(direct.get_with(path, &[("x-forwarded-for", "203.0.113.8")]).await.status, 429, "{path}");
    }
}

/// Without the layer, an argument with only the peer knows the proxy, but not the client behind it.
#[tokio::test(flavor = "multi_thread")]
async fn an_argument_without_headers_needs_the_layer() {
    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.1"]).connect().await.unwrap();
    // This scope sets the limiter without the layer. It is inside the service, because the tasks of `serve` would not
    // inherit it.
    let app = routes().layer(axum::middleware::from_fn(move |request, next: axum::middleware::Next| {
        ratelimit::scope(limiter.clone(), next.run(request))
    }));
    let nginx = behind(server::serve(app).await, APPENDS);
    let client = client(&nginx);
    for (path, status) in [("/request", 200), ("/two", 200), ("/peer", 503), ("/context", 503)] {
        assert_eq!(client.get(path).await.status, status, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn proxies_change_while_the_service_runs() {
    let limiter = RateLimiter::builder().trusted_proxies(["192.0.2.1"]).connect().await.unwrap();
    let app = routes().layer(RateLimitLayer::new().limiter(limiter.clone()));
    let nginx = behind(server::serve(app).await, APPENDS);
    assert_eq!(client(&nginx).get("/request").await.status, 200);
    assert_eq!(client(&nginx).get("/request").await.status, 429, "all share the limit of the proxy");
    limiter.set_trusted_proxies(["127.0.0.1"]).unwrap();
    assert_each_client_has_its_own_limit(&nginx).await;
}
