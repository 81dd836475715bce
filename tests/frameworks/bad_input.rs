//! Sends bad input to a real server: long, broken, empty and repeated headers, names of limits with characters that a header
//! field cannot contain, and requests without a peer.

use crate::harness::client::{Client, Reply, Version};
use crate::harness::limiters::{limiters, on_redis};
use crate::harness::server;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderValue};
use axum::routing::get;
use axum::{Extension, Router};
use ratelimit::answer::Answers;
use ratelimit::identity::Forwarded;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, rate_limit};
use sfv::{BareItem, List, ListEntry, Parser};
use std::net::SocketAddr;
use support::{MINUTE, limited};

limited! {
    #[rate_limit(key = "ip", count = 1, by = "ip")] by_address(_: Request);
    #[rate_limit(key = "key", count = 1, by = "header:x-api-key")] by_key(_: HeaderMap);
    #[rate_limit(key = "a{{b}}:c\n\r\0\"\\%é€", count = 1, by = "ip")] by_odd_name(_: Request);
    #[rate_limit(key = "no peer", count = 1, by = "ip")] by_unknown_peer(_: Request);
    #[rate_limit(key = "no extractor", count = 1, by = "ip")] by_connect_info(_: ConnectInfo<SocketAddr>);
}

/// Starts a server. Its requests have the address of the peer only if `knows_peer` is set.
async fn serve(app: Router, limiter: RateLimiter, knows_peer: bool) -> SocketAddr {
    let app = app.layer(RateLimitLayer::new().limiter(limiter));
    if knows_peer { server::serve(app).await } else { server::serve_without_peers(app).await }
}

fn routes() -> Router {
    Router::new().route("/ip", get(by_address)).route("/key", get(by_key))
}

/// Starts a server that trusts all loopback addresses as proxies.
async fn behind_a_proxy(forwarded: Forwarded<'_>) -> SocketAddr {
    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).forwarded_by(forwarded);
    serve(routes(), limiter.connect().await.unwrap(), true).await
}

/// Sends lines of headers with arbitrary bytes. Returns the status.
async fn status(client: &Client, path: &str, lines: &[(&'static str, Vec<u8>)]) -> u16 {
    let headers =
        lines.iter().map(|(name, value)| ((*name).parse().unwrap(), HeaderValue::from_bytes(value).unwrap()));
    let mut map = HeaderMap::new();
    headers.for_each(|(name, value): (http::HeaderName, HeaderValue)| {
        map.append(name, value);
    });
    client.request(path).headers(map).send().await.unwrap().status().as_u16()
}

fn forwarded(value: impl Into<Vec<u8>>) -> (&'static str, Vec<u8>) {
    ("x-forwarded-for", value.into())
}

fn key(value: impl Into<Vec<u8>>) -> (&'static str, Vec<u8>) {
    ("x-api-key", value.into())
}

/// A client writes 64 KiB of hops. These hops do not change the client's identity, because the trusted proxy appends the
/// client's address on the right.
#[tokio::test]
async fn thousands_of_hops_do_not_choose_the_client() {
    let server = behind_a_proxy(Forwarded::XForwardedFor).await;
    let client = Client::new(server, Version::Http1);
    let hops = |first: &str| [first, &", 127.0.0.1".repeat(6000)].concat();
    assert_eq!(status(&client, "/ip", &[forwarded(hops("6.6.6.6") + ", 203.0.113.7")]).await, 200);
    assert_eq!(status(&client, "/ip", &[forwarded(hops("7.7.7.7") + ", 203.0.113.7")]).await, 429);
    // The server reads only the 32 rightmost entries. If all of these are trusted proxies, the client is the leftmost of
    // them.
    assert_eq!(status(&client, "/ip", &[forwarded(hops("6.6.6.6"))]).await, 200);
    assert_eq!(status(&client, "/ip", &[forwarded(hops("7.7.7.7"))]).await, 429);
    assert_eq!(status(&client, "/ip", &[forwarded(vec![b','; 65_536])]).await, 200, "the proxy");
    let lines: Vec<_> = (0..60).map(|_| forwarded("6.6.6.6")).chain([forwarded("203.0.113.8")]).collect();
    assert_eq!(status(&client, "/ip", &lines).await, 200);
    assert_eq!(status(&client, "/ip", &lines).await, 429);
}

/// hyper accepts headers of 64 KiB over HTTP/1.1. Over HTTP/2, it answers 431 to more than 16 KiB of headers, and closes the
/// connection if the headers are far larger. All bytes of a long key are hashed.
#[tokio::test]
async fn a_header_of_64_kib_is_one_identity() {
    let long = |last: u8| key([vec![b'a'; 65_535], vec![last]].concat());
    for limiter in limiters().await {
        let server = serve(routes(), limiter, true).await;
        let client = Client::new(server, Version::Http1);
        for (last, expected) in [(b'a', 200), (b'a', 429), (b'b', 200)] {
            assert_eq!(status(&client, "/key", &[long(last)]).await, expected);
        }
        let client = Client::new(server, Version::Http2);
        let too_long = client.request("/key").header("x-api-key", "c".repeat(65_536)).send().await;
        assert!(too_long.is_err(), "{too_long:?}");
        let client = Client::new(server, Version::Http2);
        for (length, expected) in [(20_000, 431), (8_192, 200), (8_192, 429)] {
            assert_eq!(status(&client, "/key", &[key(vec![b'c'; length])]).await, expected);
        }
    }
}

/// A header value that is not UTF-8 identifies a caller like other values, but is never an address.
#[tokio::test]
async fn broken_and_empty_values_have_a_stated_meaning() {
    for limiter in limiters().await {
        let client = Client::new(serve(routes(), limiter, true).await, Version::Http1);
        for value in [&b"\xff\xfe"[..], b"\xff\xff", b"", b"\xc3\xa9", b"\t"] {
            let status = async || status(&client, "/key", &[key(value)]).await;
            // An empty header counts as a value, so all clients that send it are one caller. HTTP trims a tab to an empty
            // value, so the tab is a second call of this caller.
            let first = if value == b"\t" { 429 } else { 200 };
            assert_eq!((status().await, status().await), (first, 429), "{value:?}");
        }
    }
    let client = Client::new(behind_a_proxy(Forwarded::XForwardedFor).await, Version::Http1);
    let mut expected = 200;
    for value in [&b"\xff\xfe"[..], b"", b"6.6.6.6, \xff", b"6.6.6.6,", b"6.6.6.6, 203.0.113.\xb2"] {
        assert_eq!(
            status(&client, "/ip", &[forwarded(value)]).await,
            expected,
            "the proxy is the client: {value:?}"
        );
        expected = 429;
    }
}

/// If a header with one value is sent in two lines, the server cannot know which line was verified.
#[tokio::test]
async fn repeated_headers_identify_nobody() {
    for limiter in limiters().await {
        let client = Client::new(serve(routes(), limiter, true).await, Version::Http1);
        for second in ["a", "b", ""] {
            assert_eq!(status(&client, "/key", &[key("a"), key(second)]).await, 400);
        }
        assert_eq!(status(&client, "/key", &[]).await, 400);
        assert_eq!(status(&client, "/key", &[key("a, b")]).await, 200, "one line with a comma is one value");
    }
    let server = behind_a_proxy(Forwarded::Single("x-real-ip")).await;
    let client = Client::new(server, Version::Http1);
    let real = |address: &str| ("x-real-ip", address.as_bytes().to_vec());
    assert_eq!(status(&client, "/ip", &[real("203.0.113.7"), real("203.0.113.8")]).await, 200);
    assert_eq!(status(&client, "/ip", &[real("203.0.113.8"), real("203.0.113.8")]).await, 429, "the proxy");
    assert_eq!(status(&client, "/ip", &[real("203.0.113.8")]).await, 200);
}

const NAME: &str = "a{b}:c\n\r\0\"\\%é€";
/// An attribute's limit has the text of `key` as its name, exactly as the text is written: `{{` stays `{{`.
const ESCAPED: &str = "a{{b}}:c\n\r\0\"\\%é€";

/// Returns the name in a header field, which is a string of printable ASCII. Undoes its percent-encoding.
fn name(reply: &Reply, field: &str) -> String {
    let field = reply.header(field).unwrap_or_else(|| panic!("no {field}: {reply:?}"));
    let list: List = Parser::new(field).parse().unwrap();
    let [ListEntry::Item(item)] = list.as_slice() else { panic!("{field}") };
    let BareItem::String(name) = &item.bare_item else { panic!("{field}") };
    let mut bytes = name.as_str().bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        let digits: String =
            if byte == b'%' { bytes.by_ref().take(2).map(char::from).collect() } else { String::new() };
        decoded.push(if byte == b'%' { u8::from_str_radix(&digits, 16).unwrap() } else { byte });
    }
    String::from_utf8(decoded).unwrap()
}

/// A name is escaped in header fields, in problem details and in the store. The unescaped name is the same everywhere.
#[tokio::test]
async fn names_with_any_characters_reach_the_client() {
    for limiter in [RateLimiter::in_memory(), on_redis().await] {
        let of_layer = RateLimitLayer::new().limit(NAME, Limit::counter(1, MINUTE), By::ip());
        let app = Router::new()
            .route("/attribute", get(by_odd_name))
            .route("/layer", get(async || ()).layer(of_layer))
            .layer(RateLimitLayer::new().answers(Answers::problem_json()));
        let server = serve(app, limiter, true).await;
        for (path, expected) in [("/attribute", ESCAPED), ("/layer", NAME)] {
            let client = Client::new(server, Version::Http1);
            let admitted = client.get(path).await;
            let refused = client.get(path).await;
            assert_eq!((admitted.status, refused.status), (200, 429), "{path}");
            for reply in [&admitted, &refused] {
                assert_eq!(name(reply, "ratelimit-policy"), expected, "{path}");
                assert_eq!(name(reply, "ratelimit"), expected, "{path}");
            }
            let problem: serde_json::Value = serde_json::from_str(&refused.body).unwrap();
            assert_eq!(problem["violated-policies"], serde_json::json!([expected]), "{path}");
        }
    }
}

/// Without `into_make_service_with_connect_info`, requests have no peer. axum's own extractor then answers 500. All other
/// calls are rejected with 503, and the log names the remedy. The limiter's status stays ready, because it only describes
/// the store.
#[tokio::test]
async fn a_server_without_connect_info_lets_nobody_through() {
    let limiter = RateLimiter::in_memory();
    let layer = RateLimitLayer::new().limit("no peer of the layer", Limit::counter(1, MINUTE), By::ip());
    let app = Router::new()
        .route("/request", get(by_unknown_peer))
        .route("/connect_info", get(by_connect_info))
        .route("/layer", get(async || ()).layer(layer))
        .layer(Extension(limiter.clone()));
    let client = Client::new(serve(app, limiter.clone(), false).await, Version::Http1);
    let _ = support::take_events();
    for path in ["/request", "/layer"] {
        let reply = client.get(path).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{path}");
        assert_eq!(reply.body, "temporarily unavailable: try again in 1 second", "{path}");
    }
    let axum = client.get("/connect_info").await;
    assert_eq!(axum.status, 500);
    assert!(axum.body.contains("ConnectInfo"), "{axum:?}");

    let events: Vec<String> = support::take_events().iter().map(ToString::to_string).collect();
    for name in ["no peer", "no peer of the layer"] {
        let of_limit =
            |event: &&String| event.starts_with("ERROR") && event.contains(&format!("limit={name} "));
        let event = events.iter().find(of_limit).unwrap_or_else(|| panic!("{name}: {events:?}"));
        assert!(event.contains("into_make_service_with_connect_info"), "{event}");
    }
    let status = limiter.status().await;
    assert!(status.is_ready() && status.is_reachable());
    assert_eq!(status.to_string(), "the store is reachable");
}
