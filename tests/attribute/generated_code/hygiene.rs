//! Names in user code that are equal to names in generated code.

use crate::harness::{Runs, keys_of, passes_once};
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;

/// Gives every type methods with the same names as methods of the runtime.
#[expect(dead_code, reason = "generated code is not to call them")]
trait OnEverything {
    fn identity(&self) {}
    fn part(self)
    where
        Self: Sized,
    {
    }
    fn ip(&self) {}
    fn cost(&self) {}
    fn limit(&self) {}
    fn start(&self) {}
    fn found(&self) {}
    fn merge(&self) {}
    fn write(&self) {}
    fn client_ip(&self) {}
    fn address(&self) {}
    fn hold(&self) {}
    fn and(&self) {}
    fn finish(&self) {}
    fn settle(&self) {}
    fn judge(&self) {}
}

impl<T: ?Sized> OnEverything for T {}

mod core {}
#[expect(dead_code, reason = "generated code is not to name them")]
mod like_the_runtime {
    pub(super) struct Call;
    pub(super) struct Element;
    pub(super) struct Site;
}
#[expect(unused_imports, reason = "generated code is not to name them")]
use like_the_runtime::{Call, Element, Site};

const SITE: u32 = 1;

enum Option {
    Some(u32),
}

type Result<T, E = Rejection> = std::result::Result<T, E>;

#[rate_limit(
    key = "{call}:{check}:{ip}:{rejection}:{address}",
    time = std::time::Duration::from_secs(u64::from(check)),
    count = argument0,
    by = (SITE, call),
    cost = rejection,
    on_limit = |limited| if rejection == 0 { Ok(0) } else { Err(limited) }
)]
async fn names(
    call: char,
    check: u32,
    ip: u32,
    rejection: u32,
    argument0: u32,
    address: u8,
    runs: &Runs,
) -> Result<u32> {
    Ok(u32::from(call) + check + ip + rejection + argument0 + u32::from(address) + runs.add())
}

#[rate_limit(key = "k", by = "ip")]
async fn names_beside_an_address(
    (call, check): (u32, u32),
    ip: u32,
    address: SocketAddr,
    argument0: u32,
    found: u32,
) -> Result<u32> {
    let Option::Some(site) = Option::Some(SITE);
    Ok(call + check + ip + u32::from(address.is_ipv4()) + argument0 + found + site)
}

#[rate_limit(key = "a", count = limiter, limiter = held, cost = result)]
#[rate_limit(key = "b", limit = limit, by = (held.clone(), result).1, refund_if = |_| result == 0 && check == 0)]
#[rate_limit(key = "c", algorithm = "concurrency", count = call)]
async fn names_of_what_is_held(
    held: &RateLimiter,
    limiter: u32,
    result: u32,
    limit: Limit,
    (call, check): (u32, u32),
    runs: &Runs,
) -> Result<u32> {
    let _ = (held, limit);
    Ok(limiter + result + call + check + runs.add())
}

#[rate_limit(key = "k", count = SITE)]
async fn constants(runs: &Runs) -> Result<u32> {
    static SITE: u32 = 5;
    Ok(runs.add() + SITE)
}

#[rate_limit(key = "k", count = 1)]
async fn a_constant_in_the_body(runs: &Runs) -> Result<u32> {
    Ok(runs.add() + SITE)
}

#[tokio::test]
async fn arguments_keep_their_names() {
    let runs = &Runs::default();
    let refused = passes_once(runs, async || names('x', 1, 2, 3, 4, 5, runs).await).await;
    assert_eq!(refused.name(), "{call}:{check}:{ip}:{rejection}:{address}");
    let keys = keys_of(async {
        assert_eq!(names('x', 1, 2, 3, 4, 5, runs).await.unwrap(), 17 + u32::from('x'));
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        assert_eq!(names_beside_an_address((1, 2), 3, address, 4, 5).await.unwrap(), 17);
    })
    .await;
    assert_eq!(keys, ["{1,x}:<call>:<check>:<ip>:<rejection>:<address>=x=1=2=3=5", "{127.0.0.1}:k"]);
}

#[tokio::test]
async fn arguments_keep_their_names_beside_permits() {
    let (runs, limits) = (&Runs::default(), RateLimiter::in_memory());
    let twice = Limit::counter(2, support::MINUTE);
    let call = async || names_of_what_is_held(&limits, 3, 1, twice, (5, 6), runs).await;
    assert_eq!(call().await.unwrap(), 16);
    assert_eq!(call().await.unwrap(), 17);
    assert_eq!(call().await.unwrap_err().name(), "b");
}

#[tokio::test]
async fn constants_keep_their_names() {
    let runs = &Runs::default();
    passes_once(runs, async || constants(runs).await).await;
    passes_once(runs, async || a_constant_in_the_body(runs).await).await;
}
