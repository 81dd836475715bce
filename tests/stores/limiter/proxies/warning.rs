//! The warning about a proxy that is not configured. Each limiter logs it once, and only if the peer certainly is a proxy.

use super::{Sent, limiter, peer};
use ratelimit::RateLimiter;
use tracing::Level;

/// Finds the clients of these calls. Returns the headers that the warnings name.
fn warnings(limiter: &RateLimiter, calls: &[(&str, Sent)]) -> Vec<String> {
    let _ = support::take_events();
    for (from, sent) in calls {
        let _ = limiter.client_ip(peer(from), sent);
    }
    let events = support::take_events().into_iter().filter(|event| event.level == Level::WARN);
    let fields = events.flat_map(|event| {
        let text = event.to_string();
        assert!(text.contains("all clients of this proxy share one limit: "), "{text}");
        assert!(text.contains("`.trusted_proxies(..)`") && !text.contains("6.6.6.6"), "{text}");
        event.fields
    });
    fields.filter(|(name, _)| *name == "header").map(|(_, header)| header).collect()
}

fn forwarded() -> Sent {
    Sent::forwarded_for(["6.6.6.6"])
}

#[tokio::test]
async fn a_proxy_in_the_own_network_is_reported_once() {
    let proxies = [
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "127.0.0.1",
        "169.254.0.1",
        "100.64.0.1",
        "100.127.255.255",
    ];
    for proxy in proxies.into_iter().chain(["::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1"]) {
        let calls =
            [(proxy, Sent::default()), (proxy, forwarded()), (proxy, forwarded()), ("10.9.9.9", forwarded())];
        assert_eq!(warnings(&RateLimiter::in_memory(), &calls), ["x-forwarded-for"], "{proxy}");
    }
}

#[tokio::test]
async fn each_forwarding_header_is_recognised() {
    for header in ["x-forwarded-for", "forwarded", "x-real-ip"] {
        for lines in [vec!["6.6.6.6"], vec!["6.6.6.6", "6.6.6.6"], vec![""]] {
            let sent = Sent::default().with("x-other", ["6.6.6.6"]).with(header, lines);
            assert_eq!(warnings(&RateLimiter::in_memory(), &[("10.0.0.1", sent)]), [header]);
        }
    }
}

#[tokio::test]
async fn clients_elsewhere_cause_no_warning() {
    let peers = [
        "6.6.6.6",
        "100.63.255.255",
        "100.128.0.0",
        "172.32.0.1",
        "2001:db8::1",
        "64:ff9b::10.0.0.1",
        "unix",
    ];
    let calls = peers.map(|peer| (peer, forwarded()));
    assert!(warnings(&RateLimiter::in_memory(), &calls).is_empty());
    assert!(
        warnings(&RateLimiter::in_memory(), &[("10.0.0.1", Sent::default().with("x-other", ["a"]))])
            .is_empty()
    );
}

#[tokio::test]
async fn a_limiter_with_trust_causes_no_warning() {
    let calls = [("10.0.0.1", forwarded()), ("192.168.0.1", forwarded())];
    let trusting = limiter(|builder| builder.trusted_proxies(["192.0.2.1"])).await;
    assert!(warnings(&trusting, &calls).is_empty());
    assert!(warnings(&limiter(|builder| builder.trusted_hops(1)).await, &calls).is_empty());
    let later = RateLimiter::in_memory();
    later.set_trusted_proxies(["192.0.2.1"]).unwrap();
    assert!(warnings(&later, &calls).is_empty());
}
