//! Patterns as arguments. They bind the same names, also where the attribute needs to name the whole argument.

use crate::harness::{PEER, Runs, passes_once};
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;

#[derive(Clone)]
struct Point {
    x: u32,
    y: (u32, u32),
}

struct Wrapped<T>(T);

const POINT: Point = Point { x: 1, y: (2, 3) };
#[rate_limit(count = 1, key = "{a}:{b}")]
async fn tuple((a, b): (u32, u32), runs: &Runs) -> Result<u32, Rejection> {
    runs.add();
    Ok(a + b)
}

#[rate_limit(count = 1, key = "{x}:{second}")]
async fn nested(
    Point { x, y: (_, second) }: Point,
    Wrapped([first, ..]): Wrapped<[u32; 3]>,
    &third: &u32,
    runs: &Runs,
) -> Result<u32, Rejection> {
    runs.add();
    Ok(x + second + first + third)
}

#[rate_limit(count = 1, key = "{mutable}:{whole.x}")]
async fn bindings(
    mut mutable: u32,
    ref whole @ Point { x, .. }: Point,
    _: String,
    _ignored: u8,
    runs: &Runs,
) -> Result<u32, Rejection> {
    mutable += runs.add();
    Ok(mutable + whole.y.0 + x)
}

#[rate_limit(count = 1, by = "ip")]
async fn with_an_address(
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

#[tokio::test]
async fn patterns_bind_the_same_names() {
    let runs = &Runs::default();
    passes_once(runs, async || tuple((1, 2), runs).await).await;
    passes_once(runs, async || nested(POINT, Wrapped([4, 5, 6]), &7, runs).await).await;
    passes_once(runs, async || bindings(1, POINT, String::new(), 0, runs).await).await;
}

#[tokio::test]
async fn patterns_beside_an_address_bind_the_same_names() {
    let runs = &Runs::default();
    let call = async || {
        let pair = (10, "b".to_owned());
        let (sum, text, peer) = with_an_address(Wrapped(PEER), POINT, pair, 5, 0, PEER, runs).await?;
        assert_eq!((sum, text.as_str(), peer), (20, "b", PEER));
        Ok::<_, Rejection>(())
    };
    passes_once(runs, call).await;
}
