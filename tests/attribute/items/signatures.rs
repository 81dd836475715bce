//! Signatures that the matrix does not contain: lifetimes, bounds, patterns, names, other receivers, and constants of
//! traits.

#![allow(
    clippy::diverging_sub_expression,
    clippy::redundant_allocation,
    improper_ctypes_definitions,
    reason = "these shapes are unusual on purpose"
)]

use crate::harness::{PEER, Runs, caught, keys_of, passes_once, scoped, scoped_with, soon};
use ratelimit::clock::ManualClock;
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use support::MINUTE;

#[rate_limit]
async fn by_defaults(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(count = 1)]
async fn const_generic<const N: usize>(runs: &Runs, array: [u8; N]) -> Result<usize, Rejection> {
    runs.add();
    Ok(array.len() + N)
}

#[rate_limit(count = 1)]
async fn lifetimes<'a, 'b: 'a>(
    _other: &str,
    long: &'b str,
    short: &'a str,
    seen: &mut Vec<u32>,
    runs: &Runs,
) -> Result<[&'a str; 2], Rejection> {
    seen.push(runs.add());
    Ok([long.trim(), short])
}

struct Wrapped<T>(T);

#[rate_limit(count = 1, key = "{array.len()}")]
async extern "C" fn bounds<F, const N: usize>(
    array: [u8; N],
    each: F,
    then: impl AsyncFn(&Runs) -> u32,
    text: &(impl AsRef<str> + ?Sized),
    runs: &Runs,
) -> Result<[u8; 1 + 1], Rejection>
where
    for<'a> F: Fn(&'a Runs) -> u32,
    Wrapped<[u8; N]>: Sized,
{
    assert_eq!((each(runs), text.as_ref()), (then(runs).await, "text"));
    Ok([array[0], 0])
}

#[rate_limit(count = 1, on_limit = |_| panic!("refused"))]
async fn never(runs: &Runs) -> ! {
    runs.add();
    loop {
        tokio::task::yield_now().await;
    }
}

#[derive(Clone)]
struct Point {
    x: u32,
    y: (u32, u32),
}

const POINT: Point = Point { x: 1, y: (2, 3) };

#[rate_limit(count = 1, key = "{a}:{second}:{mutable}:{whole.x}")]
async fn patterns(
    (a, _): (u32, u32),
    Point { x, y: (_, second) }: Point,
    Wrapped([first, ..]): Wrapped<[u32; 3]>,
    &third: &u32,
    mut mutable: u32,
    ref whole @ Point { x: same, .. }: Point,
    runs: &Runs,
) -> Result<u32, Rejection> {
    mutable += runs.add();
    Ok(a + x + second + first + third + mutable + whole.y.0 + same)
}

/// The attribute has to give each argument a name here, because it cannot see which argument has the address.
#[rate_limit(count = 1, by = "ip")]
async fn patterns_beside_an_address(
    Wrapped(peer): Wrapped<SocketAddr>,
    Point { x, y: (_, second) }: Point,
    (mut a, b): (u32, String),
    mut c: u32,
    _: u8,
    from: SocketAddr,
    runs: &Runs,
) -> Result<(u32, String, SocketAddr), Rejection> {
    runs.add();
    a += x + second;
    c += 1;
    assert_eq!(from, peer);
    Ok((a + c, b, peer))
}

trait Mail {
    const PER_MINUTE: u32;

    #[rate_limit(key = "burst", count = Self::PER_MINUTE)]
    async fn by_constant_of_the_trait(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Service {
    runs: Arc<Runs>,
    r#match: String,
}

impl Mail for Service {
    const PER_MINUTE: u32 = 2;
}

impl Service {
    #[rate_limit(count = 1)]
    async fn by_mutable_value(mut self) -> Result<String, Rejection> {
        self.runs.add();
        self.r#match.push('!');
        Ok(self.r#match)
    }

    #[rate_limit(count = 1)]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    fn future_by_pin<'a>(
        self: Pin<&'a mut Self>,
        runs: &'a Runs,
    ) -> impl Future<Output = Result<u32, Rejection>> + 'a {
        async move {
            self.get_mut().r#match.push('?');
            Ok(runs.add())
        }
    }

    #[rate_limit(count = 1, key = "{self.r#match}")]
    async fn by_rc(self: Rc<Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, key = "{self.r#match}")]
    async fn by_nested(self: &Arc<Box<Self>>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, key = "{self.r#match}:{r#type}")]
    async fn r#async(&self, r#type: u8, runs: &Runs) -> Result<&str, Rejection> {
        runs.add();
        Ok(&self.r#match)
    }

    #[rate_limit(count = 1, by = self.runs.who())]
    async fn lends_mutably(&mut self) -> Result<&mut String, Rejection> {
        self.runs.add();
        Ok(&mut self.r#match)
    }
}

#[tokio::test]
async fn the_default_is_a_hundred_calls_per_minute() {
    let (runs, clock) = (&Runs::default(), ManualClock::new());
    scoped_with(&clock, async {
        for _ in 0..100 {
            by_defaults(runs).await.unwrap();
        }
        let rejection = by_defaults(runs).await.unwrap_err();
        assert_eq!(rejection.retry_after(), Some(MINUTE));
        clock.advance(MINUTE);
        by_defaults(runs).await.unwrap();
    })
    .await;
    assert_eq!(runs.count(), 101);
}

#[tokio::test]
async fn lifetimes_bounds_and_patterns() {
    let (runs, text, mut log) = (&Runs::default(), String::from(" x "), Vec::new());
    passes_once(runs, async || lifetimes("", "long", &text, &mut log, runs).await).await;
    assert_eq!(log.len(), 1);
    let count = async |runs: &Runs| runs.count();
    passes_once(runs, async || bounds([1, 2, 3], Runs::add, count, "text", runs).await).await;
    let array = || Wrapped([4, 5, 6]);
    passes_once(runs, async || patterns((1, 2), POINT, array(), &7, 1, POINT, runs).await).await;
    let call = async || {
        let pair = (10, "b".to_owned());
        let (sum, text, peer) =
            patterns_beside_an_address(Wrapped(PEER), POINT, pair, 5, 0, PEER, runs).await?;
        assert_eq!((sum, text.as_str(), peer), (20, "b", PEER));
        Ok::<_, Rejection>(())
    };
    passes_once(runs, call).await;
}

#[tokio::test]
async fn all_instances_of_a_generic_function_share_its_limit() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(const_generic(runs, [0; 2]).await.unwrap(), 4);
        assert!(const_generic(runs, [0; 3]).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_function_that_never_returns() {
    let runs = &Runs::default();
    scoped(async {
        let mut running = Box::pin(never(runs));
        assert!(soon(&mut running).await.is_none());
        assert!(caught(never(runs)).await.is_none());
    })
    .await;
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn other_receivers_and_raw_names() {
    let mut service = Service::default();
    let runs = &service.runs.clone();
    passes_once(runs, async || service.clone().by_mutable_value().await).await;
    passes_once(runs, async || Pin::new(&mut service).by_pin().await).await;
    passes_once(runs, async || Pin::new(&mut service).future_by_pin(runs).await).await;
    assert_eq!(service.r#match, "?");
    let (counted, shared) = (Rc::new(service.clone()), Arc::new(Box::new(service)));
    passes_once(runs, async || Rc::clone(&counted).by_rc().await).await;
    passes_once(runs, async || shared.by_nested().await).await;
    let keys = keys_of(shared.r#async(7, runs)).await;
    assert_eq!(keys, ["{<self.r%23match>:<r%23type>=?=7}"]);
}

#[tokio::test]
async fn a_borrow_outlives_the_call() {
    let mut service = Service::default();
    let runs = service.runs.clone();
    passes_once(&runs, async || service.r#async(1, &runs).await.map(str::len)).await;
    scoped(async {
        service.lends_mutably().await.unwrap().push('?');
        assert!(service.lends_mutably().await.is_err());
    })
    .await;
    assert_eq!(service.r#match, "?");
}

#[tokio::test]
async fn constants_of_the_implementation() {
    scoped(async {
        for _ in 0..Service::PER_MINUTE {
            Service::default().by_constant_of_the_trait().await.unwrap();
        }
        Service::default().by_constant_of_the_trait().await.unwrap_err();
    })
    .await;
}
