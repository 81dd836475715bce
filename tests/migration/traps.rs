//! The five traps at the beginning of the page. Each test states what a service needs: the code before fails it, and the code
//! after passes it.

use crate::tower_governor::{ratelimit_in_memory, respond};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{self, StatusCode};
use axum::{Router, routing::get};
use ratelimit::{By, Key, Limit, RateLimitLayer, RateLimiter};
use std::net::SocketAddr;
use std::time::Duration;
use support::{MINUTE, RedisServer, take_events};
use tower::ServiceExt;
use tower_governor::key_extractor::SmartIpKeyExtractor;
use tower_governor::{GovernorLayer, governor::GovernorConfigBuilder};

const PER_MINUTE: Limit = Limit::counter(5, Duration::from_secs(60));

fn router() -> Router {
    Router::new().route("/", get(async || "hello"))
}

/// An app whose limit by address is of this library.
fn after(limit: Limit) -> Router {
    ratelimit_in_memory(router().layer(RateLimitLayer::new().limit("api", limit, By::ip())))
}

/// 100 calls per second were meant: a client that has used them up waits for at most a second.
#[tokio::test]
async fn a_rate_is_not_an_interval() {
    let config = GovernorConfigBuilder::default().per_second(100).burst_size(1).finish().unwrap();
    let before = router().layer(GovernorLayer::new(config));
    let after = after(Limit::token_bucket(100, Duration::from_secs(1)).burst(1));
    let waits_at_most_a_second = async |app: Router| {
        let mut refused = respond(&app, 1).await;
        while refused.status() == StatusCode::OK {
            refused = respond(&app, 1).await;
        }
        refused.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() <= 1
    };
    assert!(!waits_at_most_a_second(before).await, "one call in 100 seconds");
    assert!(waits_at_most_a_second(after).await);
}

/// A server without connection info cannot limit by address: the log says what to write.
#[tokio::test]
async fn a_server_without_addresses_says_what_to_write() {
    let config = GovernorConfigBuilder::default().per_second(1).burst_size(5).finish().unwrap();
    let before = router().layer(GovernorLayer::new(config));
    let says_what_to_write = async |app: Router| {
        drop(take_events());
        let request = http::Request::get("/").body(Body::empty()).unwrap();
        assert!(app.oneshot(request).await.unwrap().status().is_server_error());
        take_events().iter().any(|event| event.to_string().contains("into_make_service_with_connect_info"))
    };
    assert!(!says_what_to_write(before).await);
    assert!(says_what_to_write(after(PER_MINUTE)).await);
}

/// A client cannot choose the address by which it is limited.
#[tokio::test]
async fn a_header_of_anybody_is_no_address() {
    let mut config = GovernorConfigBuilder::default();
    let config = config.per_second(60).burst_size(5).key_extractor(SmartIpKeyExtractor).finish().unwrap();
    let before = router().layer(GovernorLayer::new(config));
    let admitted = async |app: Router| {
        let mut admitted = 0;
        for forged in 0..20 {
            let mut request = http::Request::get("/")
                .header("x-forwarded-for", format!("198.51.100.{forged}"))
                .body(Body::empty())
                .unwrap();
            request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([203, 0, 113, 1], 4000))));
            admitted += usize::from(app.clone().oneshot(request).await.unwrap().status() == StatusCode::OK);
        }
        admitted
    };
    assert_eq!(admitted(before).await, 20, "each forged address has a limit of its own");
    assert_eq!(admitted(after(PER_MINUTE)).await, 5);
}

/// A caller who never returns leaves nothing behind once the limit has forgotten the call.
#[tokio::test]
async fn callers_who_never_return_leave_nothing_behind() {
    use governor::clock::FakeRelativeClock;
    use governor::{Quota, RateLimiter as Governor};
    use ratelimit::MemoryStore;
    use ratelimit::clock::ManualClock;
    use ratelimit::store::{Mode, Request, Store, StoreKey};

    const CALLERS: u64 = 10_000; // in an hour
    const BETWEEN: Duration = Duration::from_millis(360);
    let five = std::num::NonZeroU32::new(5).unwrap();
    let clock = FakeRelativeClock::default();
    let before = Governor::hashmap_with_clock(Quota::per_minute(five), clock.clone());
    for caller in 0..4 * CALLERS {
        before.check_key(&caller).unwrap();
        clock.advance(BETWEEN);
    }
    assert_eq!(before.len() as u64, 4 * CALLERS);

    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    for caller in 0..4 * CALLERS {
        let key = StoreKey::new(&caller.to_be_bytes());
        let decisions = store.decide(Mode::Check, &[&Request::new(key, PER_MINUTE, 1)]).await.unwrap();
        assert!(decisions[0].is_allowed());
        clock.advance(BETWEEN);
    }
    assert!((store.keys() as u64) < CALLERS, "{} keys are stored", store.keys());
}

/// Two replicas of a service admit together what one may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_have_one_limit() {
    use governor::{Quota, RateLimiter as Governor};

    let server = RedisServer::start();
    let five = std::num::NonZeroU32::new(5).unwrap();
    let before = [(); 2].map(|()| Governor::keyed(Quota::per_hour(five)));
    let admitted = before.iter().map(|replica| (0..7).filter(|_| replica.check_key(&1).is_ok()).count());
    assert_eq!(admitted.sum::<usize>(), 10);

    let mut admitted = 0;
    for _ in 0..2 {
        let replica = RateLimiter::builder().redis(server.url()).deadline(MINUTE).connect().await.unwrap();
        for _ in 0..7 {
            admitted += usize::from(replica.check(&PER_MINUTE, Key::new("api").by(1_u64)).await.is_ok());
        }
    }
    assert_eq!(admitted, 5);
}
