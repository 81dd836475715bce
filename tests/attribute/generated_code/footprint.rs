//! The memory that the attribute needs: the size of futures, and heap allocations.

use async_trait::async_trait;
use ratelimit::{MemoryStore, RateLimiter, Rejection, rate_limit};
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use tokio::task::yield_now;

const PAYLOAD: [u8; 64] = [7; 64];

type Payload = [u8; 64];
type Outcome = Result<Payload, Rejection>;

async fn bare(payload: Payload) -> Outcome {
    yield_now().await;
    Ok(payload)
}

#[rate_limit]
async fn limited(payload: Payload) -> Outcome {
    yield_now().await;
    Ok(payload)
}

#[rate_limit(key = "{name}", by = (name, payload[0]), cost = u32::from(payload[0]))]
async fn limited_by_values(name: &str, payload: Payload) -> Outcome {
    yield_now().await;
    Ok(payload)
}

#[rate_limit(algorithm = "concurrency")]
async fn permit(payload: Payload) -> Outcome {
    yield_now().await;
    Ok(payload)
}

#[rate_limit(refund_if = Result::is_err)]
async fn refunded(payload: Payload) -> Outcome {
    yield_now().await;
    Ok(payload)
}

#[expect(clippy::manual_async_fn, reason = "to compare with")]
fn bare_future(payload: Payload) -> impl Future<Output = Outcome> {
    async move {
        yield_now().await;
        Ok(payload)
    }
}

#[rate_limit]
fn future(payload: Payload) -> impl Future<Output = Outcome> {
    async move {
        yield_now().await;
        Ok(payload)
    }
}

#[rate_limit]
fn future_of_another(payload: Payload) -> impl Future<Output = Outcome> {
    bare(payload)
}

#[rate_limit]
fn boxed(payload: Payload) -> Pin<Box<dyn Future<Output = Outcome>>> {
    Box::pin(async move { Ok(payload) })
}

#[test]
fn futures_grow_only_a_little() {
    let bare = size_of_val(&bare(PAYLOAD));
    let grown: [(&str, usize, usize); 7] = [
        ("limited", size_of_val(&limited(PAYLOAD)) - bare, 128),
        ("limited_by_values", size_of_val(&limited_by_values("ann", PAYLOAD)) - bare, 160),
        ("permit", size_of_val(&permit(PAYLOAD)) - bare, 64),
        ("refunded", size_of_val(&refunded(PAYLOAD)) - bare, 256),
        ("future", size_of_val(&future(PAYLOAD)) - size_of_val(&bare_future(PAYLOAD)), 448),
        ("future_of_another", size_of_val(&future_of_another(PAYLOAD)) - bare, 448),
        ("boxed", size_of_val(&boxed(PAYLOAD)) - 2 * size_of::<usize>(), 0),
    ];
    for (name, by, most) in grown {
        assert!(by <= most, "`{name}` is {by} bytes larger than a bare function");
    }
}

struct Service {
    limits: RateLimiter,
    name: &'static str,
}

#[rate_limit(key = "{self.name}:{id}", by = (self.name, id), limiter = self.limits, count = 1000)]
impl Service {
    async fn method(&self, id: u64) -> Result<u64, Rejection> {
        Ok(id)
    }

    fn future(&self, id: u64) -> impl Future<Output = Result<u64, Rejection>> {
        async move { Ok(id) }
    }

    fn boxed(&self, id: u64) -> Pin<Box<dyn Future<Output = Result<u64, Rejection>> + '_>> {
        Box::pin(async move { Ok(id) })
    }
}

#[async_trait]
trait Mail {
    async fn send(&self, id: u64) -> Result<u64, Rejection>;
}

#[async_trait]
impl Mail for Service {
    #[rate_limit(key = "send", by = self.name, limiter = self.limits, count = 1000)]
    async fn send(&self, id: u64) -> Result<u64, Rejection> {
        Ok(id)
    }
}

/// Counts the heap allocations of 100 calls. An earlier call, which is not counted, has created the entries of the memory
/// store.
fn allocations<F: Future<Output = Result<u64, Rejection>>>(call: impl Fn() -> F) -> u64 {
    let once = || match pin!(call()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => assert_eq!(outcome.unwrap(), 5),
        Poll::Pending => panic!("the memory store is never pending"),
    };
    once();
    let heap = allocation_counter::measure(|| (0..100).for_each(|_| once()));
    heap.count_total
}

#[tokio::test]
async fn admitted_calls_of_async_functions_need_no_heap() {
    let limits = crate::harness::limiter(MemoryStore::new()).await;
    // The key of a method contains `name` twice. The key is still shorter than 128 bytes, so it is stored inline without a
    // heap allocation.
    let service = &Service { limits, name: "ann-with-a-name-of-some-length" };
    assert_eq!(allocations(|| service.method(5)), 0);
    assert_eq!(allocations(|| service.future(5)), 100, "one box for what the call knew");
    assert_eq!(allocations(|| service.boxed(5)), 200, "one box more for each call");
    assert_eq!(allocations(|| service.send(5)), 100, "one box for each call");
}
