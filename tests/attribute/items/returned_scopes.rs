//! Functions that return a future read their arguments when they are called. The limiter and the request context are those of
//! the place where the future is polled, or else those of the call.

#![expect(clippy::async_yields_async, reason = "futures are made in one scope and polled in another")]

use crate::harness::{PEER, RemoteStore, keys_of};
use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use ratelimit::clock::ManualClock;
use ratelimit::context::{self, RequestContext};
use ratelimit::identity::{Forwarded, Identity, KeyWriter};
use ratelimit::testing::TestLimiter;
use ratelimit::{Key, Limit, OnError, RateLimiter, Rejection, rate_limit, scope};
use std::future::{Future, ready};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use support::MINUTE;

type Returned = Result<(), Rejection>;
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Declares functions that return a future, each with one admitted call.
macro_rules! returned {
    ($($(#[$($attribute:tt)*])+ $name:ident($($argument:ident: $type:ty),*);)*) => {
        $($(#[$($attribute)*])+
        fn $name($($argument: $type),*) -> impl Future<Output = Returned> + Send + use<> {
            async move { Ok(()) }
        })*
    };
}

returned! {
    #[rate_limit(key = "rs_opaque", time = "1m", count = 1)] opaque();
    #[rate_limit(key = "rs_second", count = 1, time = "1s")]
    #[rate_limit(key = "rs_minute", count = 1, time = "1m")]
    stack();
    #[rate_limit(key = "rs_permit", count = 1, algorithm = "concurrency")] permit();
    #[rate_limit(key = "rs_judged", count = 1, refund_if = Result::is_err)] judged();
    #[rate_limit(key = "rs_denying", count = 1, on_error = "deny")] denying();
    #[rate_limit(key = "rs_given", count = 1, limiter = limiter)] given(limiter: RateLimiter);
    #[rate_limit(key = "rs_context", time = "1m", count = 1, by = context::client_ip())] by_context();
    #[rate_limit(key = "rs_address", time = "1m", count = 1, by = "ip")]
    by_address(peer: ConnectInfo<SocketAddr>, headers: HeaderMap);
}

#[rate_limit(key = "rs_made_elsewhere", count = 1)]
fn made_elsewhere() -> BoxFuture<'static, Returned> {
    Box::pin(ready(Ok(())))
}

#[tokio::test]
async fn each_shape_asks_the_limiter_of_the_scope_in_which_it_is_polled() {
    macro_rules! asks {
        ($($call:expr),*) => {$(
            for _ in 0..3 {
                scope(RateLimiter::in_memory(), $call).await.expect(stringify!($call));
            }
            TestLimiter::new().assert_admitted(1, || $call).await;
        )*};
    }
    asks!(opaque(), stack(), permit(), judged(), denying(), made_elsewhere());
    let test = TestLimiter::new();
    test.assert_admitted(1, opaque).await;
    test.assert_refused_for(MINUTE, opaque).await;
}

#[tokio::test]
async fn the_scope_of_the_poll_comes_before_the_scope_of_the_call() {
    let free = async |limiter: &RateLimiter| {
        limiter.peek(&Limit::counter(1, MINUTE), "rs_opaque").await.unwrap().remaining()
    };
    let [called, polled, named] = [(); 3].map(|()| RateLimiter::in_memory());

    let future = scope(called.clone(), async { opaque() }).await;
    scope(polled.clone(), future).await.unwrap();
    assert_eq!((free(&called).await, free(&polled).await), (1, 0));

    let spawned = scope(called.clone(), async { tokio::spawn(opaque()) }).await;
    spawned.await.unwrap().unwrap();
    assert_eq!((free(&called).await, free(&polled).await), (0, 0));
    assert!(scope(called, async { tokio::spawn(opaque()) }).await.await.unwrap().is_err());

    scope(polled, given(named.clone())).await.unwrap();
    assert!(given(named).await.is_err(), "an attribute that names its limiter needs no scope");
}

#[tokio::test]
async fn the_failure_policy_of_the_attribute_applies_to_the_limiter_of_the_scope() {
    let store = RemoteStore::with_clock(&ManualClock::new());
    let limiter = RateLimiter::builder().store(store.clone()).on_error(OnError::Allow).build().unwrap();
    scope(limiter.clone(), denying()).await.unwrap();
    store.fail();
    assert!(matches!(scope(limiter.clone(), denying()).await, Err(Rejection::Unavailable(_))));
    scope(limiter, opaque()).await.unwrap();
}

fn from(last: u8) -> RequestContext {
    let context = RequestContext::new().with_client_ip([203, 0, 113, last].into());
    let context = context.with_header("x-api-key", Some(&[last]));
    context.set_user(u64::from(last));
    context
}

#[tokio::test]
async fn the_context_of_the_poll_comes_before_the_context_of_the_call() {
    scope(RateLimiter::in_memory(), async {
        let (called, polled) = (from(1), from(2));
        let made = called.clone().scope(async { by_context() }).await;
        polled.clone().scope(made).await.unwrap();
        assert_eq!((called.decisions().len(), polled.decisions().len()), (0, 1));
        assert!(polled.scope(by_context()).await.is_err());

        let spawned = called.clone().scope(async { tokio::spawn(by_context()) }).await;
        spawned.await.unwrap().unwrap();
        assert_eq!(called.decisions().len(), 1, "the request of the call shows it");
        assert!(called.scope(by_context()).await.is_err());
        assert!(matches!(by_context().await, Err(Rejection::Unavailable(_))));
    })
    .await;
}

#[tokio::test]
async fn the_limiter_of_the_scope_finds_the_client_behind_its_proxies() {
    let proxy = ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 1)));
    let free_after = async |limiter: RateLimiter, header: &'static str, value: &str| {
        let headers = HeaderMap::from_iter([(header.parse().unwrap(), value.parse().unwrap())]);
        scope(limiter.clone(), by_address(proxy, headers)).await.unwrap();
        let client = IpAddr::from([203, 0, 113, 7]);
        let key = Key::new("rs_address").by(client);
        limiter.peek(&Limit::counter(1, MINUTE), key).await.unwrap().remaining()
    };
    let trusting =
        |header| RateLimiter::builder().trusted_proxies(["10.0.0.1"]).forwarded_by(header).build().unwrap();
    let lists = [(Forwarded::XForwardedFor, "x-forwarded-for", "192.0.2.1, 203.0.113.7")];
    let lists = lists.into_iter().chain([(Forwarded::Rfc7239, "forwarded", "for=203.0.113.7")]);
    for (header, name, value) in
        lists.chain([(Forwarded::Single("x-rs-client"), "x-rs-client", "203.0.113.7")])
    {
        assert_eq!(free_after(trusting(header), name, value).await, 0, "{name}");
    }
    let open = RateLimiter::in_memory();
    assert_eq!(free_after(open, "x-forwarded-for", "203.0.113.7").await, 1, "the proxy is not trusted");
}

#[rate_limit(key = "rs:{text}:{address}", by = (address, text, context::user(), context::header("x-api-key"), Shown(text)))]
async fn plain(text: &str, address: IpAddr) -> Returned {
    Ok(())
}

#[rate_limit(key = "rs:{text}:{address}", by = (address, text, context::user(), context::header("x-api-key"), Shown(text)))]
fn returned(text: &str, address: IpAddr) -> impl Future<Output = Returned> + use<> {
    ready(Ok(()))
}

/// An identity that is written by its `Display` text.
struct Shown<'a>(&'a str);

impl Identity for Shown<'_> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.display(&self.0);
    }
}

#[tokio::test]
async fn the_keys_are_those_of_an_async_function() {
    let long = "a long text with spaces, which the key contains as a hash: ".repeat(2);
    for text in ["", "ann", "=,%\0", &long[..40], &long] {
        for address in [PEER.ip(), Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 3, 4, 5, 6).into()] {
            let [expected, found] = [
                keys_of(async { from(1).scope(plain(text, address)).await.unwrap() }).await,
                keys_of(async { from(1).scope(returned(text, address)).await.unwrap() }).await,
            ];
            assert_eq!(expected, found);
        }
    }
}
