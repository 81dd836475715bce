//! `set_trusted_proxies` replaces the networks while the limiter runs.

use super::{Sent, limiter, peer};
use ratelimit::identity::Forwarded;
use ratelimit::{ErrorKind, OnError, RateLimiter};

fn client(limiter: &RateLimiter, sent: &Sent) -> String {
    limiter.client_ip(peer("10.0.0.1"), sent).unwrap().to_string()
}

#[tokio::test]
async fn networks_are_replaced_for_all_clones() {
    let limiter = limiter(|builder| builder.trusted_proxies(["10.0.0.0/8"])).await;
    let (clone, strict) = (limiter.clone(), limiter.with_on_error(OnError::Deny));
    let sent = Sent::forwarded_for(["203.0.113.7, 192.0.2.1"]);
    assert_eq!(client(&limiter, &sent), "192.0.2.1");
    limiter.set_trusted_proxies(["10.0.0.0/8", "192.0.2.0/24"]).unwrap();
    for limiter in [&limiter, &clone, &strict] {
        assert_eq!(client(limiter, &sent), "203.0.113.7");
    }
    clone.set_trusted_proxies(["192.0.2.0/24"]).unwrap();
    for limiter in [&limiter, &clone, &strict] {
        assert_eq!(client(limiter, &sent), "10.0.0.1");
    }
}

#[tokio::test]
async fn the_header_stays() {
    let header = Forwarded::Single("cf-connecting-ip");
    let limiter = limiter(|builder| builder.trusted_proxies(["192.0.2.0/24"]).forwarded_by(header)).await;
    let sent = Sent::forwarded_for(["6.6.6.6"]).with("cf-connecting-ip", ["203.0.113.7"]);
    assert_eq!(client(&limiter, &sent), "10.0.0.1");
    limiter.set_trusted_proxies(["10.0.0.0/8"]).unwrap();
    assert_eq!(client(&limiter, &sent), "203.0.113.7");
}

#[tokio::test]
async fn a_limiter_without_proxies_reads_x_forwarded_for_from_then_on() {
    let limiter = RateLimiter::in_memory();
    let sent = Sent::forwarded_for(["203.0.113.7"]);
    assert_eq!(client(&limiter, &sent), "10.0.0.1");
    limiter.set_trusted_proxies(["10.0.0.0/8"]).unwrap();
    assert_eq!(client(&limiter, &sent), "203.0.113.7");
}

#[tokio::test]
async fn a_refused_list_leaves_the_earlier_one() {
    let limiter = limiter(|builder| builder.trusted_proxies(["10.0.0.0/8"])).await;
    for list in [vec![], vec!["0.0.0.0/0"], vec!["10.0.0.1/8"], vec!["192.0.2.1", "proxy"]] {
        let error = limiter.set_trusted_proxies(&list).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{list:?}");
        assert_eq!(client(&limiter, &Sent::forwarded_for(["203.0.113.7"])), "203.0.113.7");
    }
}

#[tokio::test]
async fn counted_hops_have_no_networks_to_replace() {
    let limiter = limiter(|builder| builder.trusted_hops(1)).await;
    let error = limiter.set_trusted_proxies(["10.0.0.0/8"]).unwrap_err();
    assert!(error.to_string().ends_with("build it with `trusted_proxies`"), "{error}");
    assert_eq!(client(&limiter, &Sent::forwarded_for(["6.6.6.6, 203.0.113.7"])), "203.0.113.7");
}

#[tokio::test]
async fn a_call_sees_the_earlier_or_the_later_networks() {
    let limiter = limiter(|builder| builder.trusted_proxies(["10.0.0.0/8"])).await;
    let sent = Sent::forwarded_for(["203.0.113.7, 192.0.2.1"]);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for _ in 0..500 {
                limiter.set_trusted_proxies(["10.0.0.0/8", "192.0.2.1"]).unwrap();
                limiter.set_trusted_proxies(["10.0.0.0/8"]).unwrap();
            }
        });
        for _ in 0..5000 {
            let seen = client(&limiter, &sent);
            assert!(seen == "203.0.113.7" || seen == "192.0.2.1", "{seen}");
        }
    });
}
