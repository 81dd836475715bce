//! The deny cache decides without the store, and refuses only calls that the store would refuse.

use crate::harness::{decision, operations, seed};
use crate::models::definitions::{Kind, Numbers};
use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Cost, Decision, Key, Limit, MemoryStore, OnError, RateLimiter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use support::{HOUR, MS, SECOND};

/// A remote store that counts its requests.
#[derive(Clone)]
struct RemoteStore {
    store: Arc<MemoryStore<ManualClock>>,
    clock: ManualClock,
    requests: Arc<AtomicUsize>,
    /// The time in milliseconds that the reply to a decision takes. The store decides at once.
    reply_takes: Arc<AtomicU64>,
}

impl RemoteStore {
    fn new() -> Self {
        let clock = ManualClock::new();
        let store = Arc::new(MemoryStore::with_clock(clock.clone()));
        Self { store, clock, requests: Arc::default(), reply_takes: Arc::default() }
    }

    /// Makes a call whose reply arrives 10 ms later, and meanwhile what `meanwhile` does.
    async fn overtaken<T>(&self, call: impl Future<Output = T>, meanwhile: impl Future<Output = ()>) -> T {
        self.reply_takes.store(10, Ordering::Relaxed);
        let overtakes = async {
            tokio::time::sleep(MS).await;
            self.reply_takes.store(0, Ordering::Relaxed);
            meanwhile.await;
        };
        tokio::join!(call, overtakes).0
    }

    async fn limiter(&self) -> RateLimiter {
        RateLimiter::builder().store(self.clone()).on_error(OnError::Deny).connect().await.unwrap()
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// The decision that the store itself would make.
    async fn truth(&self, limit: &Limit, by: u8, cost: u32) -> Decision {
        let limiter = RateLimiter::builder().store(self.clone()).deny_cache(false).connect().await.unwrap();
        let key = Key::new("calls").by((limit.count(), by));
        // The store must refuse this call, so that it takes no units. If it is admitted, the test fails.
        decision(limiter.check_cost(limit, key, cost).await)
    }

    /// Advances the clocks of the store and of the limiter.
    async fn pass(&self, time: Duration) {
        self.clock.advance(time);
        tokio::time::advance(time).await;
    }
}

impl Store for RemoteStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (reply, takes) = (self.store.decide(mode, requests), self.reply_takes.load(Ordering::Relaxed));
        Reply::pending(async move {
            if takes > 0 {
                tokio::time::sleep(Duration::from_millis(takes)).await;
            }
            reply.await
        })
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::pending(self.store.adjust(adjustments))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        Reply::pending(self.store.reset(keys))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<ratelimit::store::Overridden>> {
        self.store.load_overrides(key, seen)
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        limit: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        self.store.save_override(key, entry, limit, expires)
    }
}

async fn check(limiter: &RateLimiter, limit: &Limit, cost: u32) -> Decision {
    decision(limiter.check_cost(limit, "calls", cost).await)
}

/// Calls until the limit refuses a call. Returns the number of requests to the store so far.
async fn use_up(remote: &RemoteStore, limiter: &RateLimiter, limit: &Limit) -> usize {
    while check(limiter, limit, 1).await.is_allowed() {}
    remote.requests()
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_remembered_until_the_call_would_pass() {
    let remote = RemoteStore::new();
    let (limiter, limit) = (remote.limiter().await, Limit::counter(2, 500 * MS));
    let requests = use_up(&remote, &limiter, &limit).await;
    for passed in 0..500 {
        let refusal = check(&limiter, &limit, 1).await;
        let left = (500 - passed) * MS;
        assert_eq!((refusal.is_allowed(), refusal.capacity(), refusal.remaining()), (false, 2, 0));
        assert_eq!((refusal.retry_after(), refusal.reset_after()), (Some(left), left));
        remote.pass(MS).await;
    }
    assert_eq!(remote.requests(), requests);
    assert!(check(&limiter, &limit, 1).await.is_allowed());
    assert_eq!(remote.requests(), requests + 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_remembered_for_at_most_a_second() {
    let remote = RemoteStore::new();
    let (limiter, another) = (remote.limiter().await, remote.limiter().await);
    for limit in [Limit::counter(1, SECOND * 60), Limit::try_counter(0, SECOND).unwrap()] {
        let requests = use_up(&remote, &limiter, &limit).await;
        remote.pass(999 * MS).await;
        // If another process returns units, the limiter does not learn of it.
        another.reset(&limit, "calls").await.unwrap();
        assert!(!check(&limiter, &limit, 1).await.is_allowed());
        assert_eq!(remote.requests(), requests);
        remote.pass(MS).await;
        assert_eq!(check(&limiter, &limit, 1).await.is_allowed(), limit.count() > 0);
        assert_eq!(remote.requests(), requests + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn returned_units_of_this_process_count_at_once() {
    let remote = RemoteStore::new();
    let limiter = remote.limiter().await;
    let limit = Limit::counter(3, SECOND * 60);
    let charge = limiter.charge(&limit, "calls", 2).await.unwrap();
    use_up(&remote, &limiter, &limit).await;
    charge.refund().await.unwrap();
    assert!(check(&limiter, &limit, 2).await.is_allowed(), "after a refund");
    // The limiter does not cache a refusal that was requested in the same microsecond as a return of units.
    remote.pass(MS).await;
    use_up(&remote, &limiter, &limit).await;
    limiter.reset(&limit, "calls").await.unwrap();
    assert!(check(&limiter, &limit, 3).await.is_allowed(), "after a reset");
    remote.pass(MS).await;
    use_up(&remote, &limiter, &limit).await;
    limiter.overrides().set("calls", &Limit::counter(4, SECOND * 60)).await.unwrap();
    assert!(check(&limiter, &limit, 1).await.is_allowed(), "under an override");
    assert!(!check(&limiter, &limit, 1).await.is_allowed());
}

/// The store has refused the call before the units came back, and its reply arrives afterwards.
#[tokio::test(start_paused = true)]
async fn a_refusal_from_before_a_return_is_not_remembered() {
    let remote = RemoteStore::new();
    let (limiter, limit) = (remote.limiter().await, Limit::counter(1, SECOND * 60));
    let charge = limiter.charge(&limit, "calls", 1).await.unwrap();
    let refund = async { assert_eq!(charge.refund().await.unwrap(), 1) };
    assert!(!remote.overtaken(check(&limiter, &limit, 1), refund).await.is_allowed());
    assert!(check(&limiter, &limit, 1).await.is_allowed());
}

#[tokio::test(start_paused = true)]
async fn blocks_by_hand_count_at_once_and_end_at_once() {
    let remote = RemoteStore::new();
    let (limiter, limit) = (remote.limiter().await, Limit::counter(2, SECOND * 60));
    let retry_after = async || check(&limiter, &limit, 1).await.retry_after();
    use_up(&remote, &limiter, &limit).await;
    assert_eq!(retry_after().await, Some(SECOND * 60));
    remote.pass(MS).await;
    limiter.block(&limit, "calls", HOUR).await.unwrap();
    remote.pass(MS).await;
    assert_eq!(retry_after().await, Some(HOUR.saturating_sub(MS)));
    limiter.block(&limit, "calls", 2 * HOUR).await.unwrap();
    remote.pass(MS).await;
    assert_eq!(retry_after().await, Some((2 * HOUR).saturating_sub(MS)));
    assert!(limiter.unblock(&limit, "calls").await.unwrap());
    remote.pass(MS).await;
    assert_eq!(retry_after().await, Some((SECOND * 60).saturating_sub(4 * MS)), "the units in use stay");
}

/// The refusal of a call with `keep` starts no block, and here it arrives after a refusal that has started one.
#[tokio::test(start_paused = true)]
async fn a_call_with_keep_does_not_replace_the_refusal_of_a_blocked_caller() {
    let remote = RemoteStore::new();
    let (limiter, limit) = (remote.limiter().await, Limit::counter(2, SECOND * 60).block(&[HOUR]));
    for _ in 0..2 {
        assert!(check(&limiter, &limit, 1).await.is_allowed());
    }
    let milder = async { decision(limiter.check_cost(&limit, "calls", Cost::new(1).keep(1)).await) };
    let blocked = async { assert_eq!(check(&limiter, &limit, 1).await.retry_after(), Some(HOUR)) };
    assert_eq!(remote.overtaken(milder, blocked).await.retry_after(), Some(SECOND * 60));
    let requests = remote.requests();
    assert!(check(&limiter, &limit, 1).await.retry_after() > Some(HOUR.saturating_sub(SECOND)));
    assert_eq!(remote.requests(), requests, "the refusal was remembered");
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_permits_and_stacks_ask_the_store() {
    let remote = RemoteStore::new();
    let limiter = remote.limiter().await;
    let asks = async |limit: Limit| {
        let requests = use_up(&remote, &limiter, &limit).await;
        let _ = check(&limiter, &limit, 1).await;
        remote.requests() - requests
    };
    assert_eq!(asks(Limit::counter(1, SECOND)).await, 0);
    assert_eq!(asks(Limit::sliding_log(1, SECOND).wait(MS)).await, 1);
    let permits = Limit::concurrency(1, SECOND);
    let held = limiter.permit(&permits, "permits").await.unwrap();
    let requests = remote.requests();
    for _ in 0..3 {
        limiter.permit(&permits, "permits").await.unwrap_err();
    }
    assert_eq!(remote.requests(), requests + 3);
    drop(held);
    let (one, two) = (Limit::counter(1, SECOND), Limit::counter(1, 2 * SECOND));
    let requests = remote.requests();
    for _ in 0..3 {
        let _ = limiter.check_all(&[(&one, &"one", 1), (&two, &"two", 1)]).await;
    }
    assert_eq!(remote.requests(), requests + 3);
}

#[tokio::test(start_paused = true)]
async fn the_deny_cache_can_be_turned_off() {
    let remote = RemoteStore::new();
    let limiter = RateLimiter::builder().store(remote.clone()).deny_cache(false).connect().await.unwrap();
    let limit = Limit::counter(1, SECOND);
    let requests = use_up(&remote, &limiter, &limit).await;
    assert!(!check(&limiter, &limit, 1).await.is_allowed());
    assert_eq!(remote.requests(), requests + 1);
}

/// Compares random calls with the decisions of the store: no call is refused that could pass, and `retry_after` is correct.
#[tokio::test(start_paused = true)]
async fn the_deny_cache_refuses_no_call_that_could_pass() {
    let mut random = fastrand::Rng::with_seed(seed());
    for kind in [Kind::Counter, Kind::Greedy, Kind::Interval, Kind::Leaky, Kind::Window, Kind::Log] {
        let (remote, mut answered) = (RemoteStore::new(), 0);
        let limiter = remote.limiter().await;
        let limits = [(7, 700), (12, 60_000), (300, 1000), (3, 11)];
        let limits = limits.map(|(count, time)| Numbers::new(kind, count, time).limit());
        for _ in 0..operations(4000) {
            let (limit, by) = (random.choice(limits).unwrap(), random.u8(..2));
            let key = || Key::new("calls").by((limit.count(), by));
            match random.u8(..20) {
                0 => _ = limiter.reset(&limit, key()).await.unwrap(),
                1 => {
                    if let Ok(charge) = limiter.charge(&limit, key(), random.u32(1..4)).await {
                        remote.pass(random.u32(..200) * MS).await;
                        charge.refund().await.unwrap();
                    }
                }
                2..6 => remote.pass(random.choice([1, 3, 20, 300, 2000]).unwrap() * MS).await,
                _ => {
                    let cost = random.choice([1, 1, 2, 5, 8]).unwrap();
                    let (requests, said) =
                        (remote.requests(), decision(limiter.check_cost(&limit, key(), cost).await));
                    if remote.requests() > requests {
                        continue;
                    }
                    answered += 1;
                    let truth = remote.truth(&limit, by, cost).await;
                    assert!(!said.is_allowed() && !truth.is_allowed(), "{limit:?}: {said:?}, not {truth:?}");
                    let (after, due) = (said.retry_after(), truth.retry_after());
                    assert!(
                        after >= due && after <= due.map(|time| time + 2 * MS),
                        "{said:?}, not {truth:?}"
                    );
                }
            }
        }
        assert!(answered > 50, "{answered} cached refusals of {kind:?} prove little");
    }
}
