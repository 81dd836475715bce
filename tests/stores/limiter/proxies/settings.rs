//! Settings that `build` refuses. Each error says what to write instead.

use ratelimit::identity::Forwarded;
use ratelimit::{ErrorKind, RateLimiter, RateLimiterBuilder};

async fn refused(set: impl FnOnce(RateLimiterBuilder) -> RateLimiterBuilder) -> String {
    let error = set(RateLimiter::builder()).connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    let message = error.to_string();
    assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "{message}");
    message
}

async fn refused_network(network: &str) -> String {
    refused(|builder| builder.trusted_proxies(["192.0.2.1", network])).await
}

#[tokio::test]
async fn networks_that_trust_everybody() {
    for everybody in ["0.0.0.0/0", "::/0", "10.0.0.0/0", "2001:db8::/0", "::ffff:0:0/96"] {
        let message = refused_network(everybody).await;
        assert!(message.contains("trust everybody") && message.contains("use `trusted_hops`"), "{message}");
    }
    for halves in [["0.0.0.0/1", "128.0.0.0/1"], ["::/1", "8000::/1"]] {
        let message = refused(|builder| builder.trusted_proxies(halves)).await;
        assert!(message.contains("trust everybody"), "{halves:?}: {message}");
    }
}

#[tokio::test]
async fn bits_after_the_prefix() {
    let message = refused_network("10.0.0.1/8").await;
    assert!(message.contains(r#""10.0.0.0/8" for the network, or "10.0.0.1" for the address"#), "{message}");
    let message = refused_network("2001:db8::1/48").await;
    assert!(message.contains(r#""2001:db8::/48" for the network, or "2001:db8::1" for the"#), "{message}");
    assert!(refused_network("::ffff:10.0.0.1/104").await.contains("has bits set"));
}

#[tokio::test]
async fn texts_that_are_no_networks() {
    let texts = [
        "",
        "proxy",
        "localhost",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0/8",
        "10.0.0.0/8/8",
        "10.0.0.0/255.0.0.0",
        "010.0.0.0/8",
        "10.0.0.1:80",
        "[::1]",
        "fe80::1%eth0",
        "10.0.0.1,10.0.0.2",
        "*",
        "unix:",
        "UNIX",
    ];
    for text in texts {
        let message = refused_network(text).await;
        let expected = format!("invalid trusted proxy {text:?}; expected an address, a network such as");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[tokio::test]
async fn an_empty_list() {
    let message = refused(|builder| builder.trusted_proxies([""; 0])).await;
    assert!(message.starts_with("the list of trusted proxies is empty; write"), "{message}");
}

#[tokio::test]
async fn numbers_of_hops() {
    for hops in [0, 17, 255] {
        let message = refused(|builder| builder.trusted_hops(hops)).await;
        assert!(message.contains(&format!("hops {hops}; expected 1 to 16")), "{message}");
    }
    let message = refused(|builder| builder.trusted_proxies(["10.0.0.0/8"]).trusted_hops(1)).await;
    assert!(message.starts_with("both `trusted_proxies` and `trusted_hops` are set; use"), "{message}");
    let single = Forwarded::Single("x-real-ip");
    let message = refused(|builder| builder.trusted_hops(1).forwarded_by(single)).await;
    assert!(message.contains("\"x-real-ip\" has one address; use `trusted_proxies`"), "{message}");
}

#[tokio::test]
async fn headers() {
    let by = |header| refused(move |builder| builder.trusted_proxies(["10.0.0.0/8"]).forwarded_by(header));
    for name in ["", "x real ip", "x-real-ip:", "x-r\u{e9}al-ip", "x-real-ip\n", "\"x\""] {
        let message = by(Forwarded::Single(name)).await;
        assert!(message.starts_with(&format!("invalid header name {name:?}; expected")), "{message}");
    }
    for (list, instead) in
        [("x-forwarded-for", "XForwardedFor"), ("X-Forwarded-For", "XForwardedFor"), ("Forwarded", "Rfc7239")]
    {
        let message = by(Forwarded::Single(list)).await;
        assert!(message.ends_with(&format!("write `Forwarded::{instead}`")), "{message}");
    }
    let message = refused(|builder| builder.forwarded_by(Forwarded::Rfc7239)).await;
    assert!(message.ends_with("add `trusted_proxies` or `trusted_hops`"), "{message}");
}

#[tokio::test]
async fn lists_of_strings_and_addresses_are_accepted() {
    let strings = vec!["10.0.0.0/8".to_owned(), "unix".to_owned()];
    let name = "X-Real-IP".to_owned();
    let builder = RateLimiter::builder().trusted_proxies(&strings).forwarded_by(Forwarded::Single(&name));
    assert!(builder.connect().await.is_ok());
    let addresses = [std::net::Ipv4Addr::LOCALHOST, std::net::Ipv4Addr::BROADCAST];
    assert!(RateLimiter::builder().trusted_proxies(addresses).connect().await.is_ok());
}
