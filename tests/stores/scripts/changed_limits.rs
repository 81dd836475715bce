//! Limits and clocks that change under a key, tickets that outlast leases, and different limits in one call. The memory store
//! provides the expected decisions.

use crate::harness::{CLOCK, TestAdjustment, TestRequest, Twins, decide, key};
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::mixed_traffic::{Call, differs_at, ms};
use ratelimit::store::{Change, Mode};
use ratelimit::{__testing, Limit, RedisStore, Refill};

/// The start of each test, in µs.
const START: u64 = 1_763_000_000_000_000;
const DAY_MS: u64 = 86_400_000;

/// Whether both stores have the same outcomes. Times are in µs since the start.
async fn same(twins: &mut Twins, calls: impl IntoIterator<Item = (u64, Call)>) -> bool {
    let calls: Vec<(u64, Call)> = calls.into_iter().map(|(after, call)| (START + after, call)).collect();
    differs_at(twins, &calls).await.is_none()
}

fn ask(mode: Mode, limit: Limit, cost: u32) -> Call {
    Call::Decide(mode, vec![TestRequest::new(0, limit, cost)])
}

/// Requests of one limit in one call, one for each of these keys.
fn ask_all(keys: impl IntoIterator<Item = usize>, limit: Limit, cost: u32) -> Call {
    Call::Decide(Mode::Check, keys.into_iter().map(|key| TestRequest::new(key, limit, cost)).collect())
}

fn give(limit: Limit, units: u32, stamp_ms: u64) -> Call {
    let change = Change::Give(START / 1000 + stamp_ms);
    Call::Adjust(vec![TestAdjustment { key: 0, limit, units, change }])
}

/// The time in ms until a key expires.
fn ttl(twins: &mut Twins, name: &str, now: u64) -> u64 {
    let ends: u64 = redis::cmd("HGET").arg("test:deadlines").arg(name).query(twins.raw()).unwrap();
    ends - now / 1000
}

/// Replaces the limit of a key by a much shorter limit. Returns whether the key then lives no longer than the new limit
/// permits.
pub(crate) async fn shortens(twins: &mut Twins, kind: Kind) -> bool {
    let (long, short) = (Numbers::new(kind, 10, 50 * DAY_MS), Numbers::new(kind, 10, 1000));
    let mut shortens = true;
    for first in [Mode::Check, Mode::Charge] {
        for second in [Mode::Check, Mode::Charge] {
            let calls = [(0, ask(first, long.limit(), 1)), (0, ask(second, short.limit(), 1))];
            shortens &= same(twins, calls).await;
            shortens &= ttl(twins, &key(0, &short.limit()), START) <= short.longest_ttl();
        }
    }
    shortens
}

/// Lowers the rate of a bucket so far that its level would leak for more than 2^53 ms. Returns whether the decisions stay in
/// range.
pub(crate) async fn slows(twins: &mut Twins) -> bool {
    let fast = Limit::token_bucket(1 << 25, ms(1));
    let slow = Limit::token_bucket(7, ms(366 * DAY_MS));
    let mut slows = true;
    for mode in [Mode::Check, Mode::Charge, Mode::Peek] {
        slows &= same(twins, [(0, ask(Mode::Check, fast, 1 << 25)), (0, ask(mode, slow, 1))]).await;
    }
    slows
}

/// Replaces the limit of a bucket by slower limits. Returns whether the bucket keeps its units. Under the first limit, the
/// bucket has units in use 2^tag ms after its anchor, so the state has the tag 0 (`lua/token_bucket.lua`).
pub(crate) async fn remembers(twins: &mut Twins) -> bool {
    let fast = Limit::token_bucket(97, ms(100_000)).burst(2);
    let mut remembers = true;
    let periods =
        (10..35).flat_map(|bits| [4_u64 << bits, 6 << bits]).filter(|period| *period < 366 * DAY_MS);
    for period in periods {
        let slow = Limit::token_bucket(10, ms(period));
        let before = (0..8).map(|call| (call * 950_000, ask(Mode::Check, fast, 1)));
        let after = [0, 4_500_000, 500 * period].map(|pause| (7 * 950_000 + pause, ask_all([0; 2], slow, 1)));
        remembers &= same(twins, before.chain(after)).await;
    }
    remembers
}

/// Charges a bucket under one limit, and returns the units under another limit, whose keys live longer. Returns whether the key
/// then lives as long as the other limit needs.
pub(crate) async fn outlives_returns(twins: &mut Twins) -> bool {
    let (short, long) = (Limit::token_bucket(10, ms(1000)), Limit::token_bucket(10, ms(60_000)));
    let calls = [ask(Mode::Charge, short, 10), give(long, 10, 1000), ask(Mode::Check, long, 1)];
    same(twins, [0, 0, 10_000_000].into_iter().zip(calls)).await
}

/// Sets the clock back, which raises the level of a bucket, and makes a refund. Returns whether the refund returns at most the
/// stored units.
pub(crate) async fn gives_back_what_is_stored(twins: &mut Twins) -> bool {
    let limit = Limit::token_bucket(10, ms(1000));
    let calls = [ask(Mode::Charge, limit, 5), give(limit, 7, 800), ask(Mode::Peek, limit, 1)];
    same(twins, [300_000, 0, 0].into_iter().zip(calls)).await
}

/// Whether the key lives until the wait of a ticket ends.
pub(crate) async fn keeps_tickets(twins: &mut Twins) -> bool {
    let limit = Limit::concurrency(1, ms(60_000)).wait(ms(60_000));
    let permit = |id| Call::Decide(Mode::Charge, vec![TestRequest::new(0, limit, 1).with_permit(id)]);
    let arrival = 50_000_000;
    same(twins, [(0, permit(5)), (arrival, permit(6))]).await
        && ttl(twins, &key(0, &limit), START + arrival) >= 60_000
}

/// Whether a permit is free in the millisecond in which its lease ends.
pub(crate) async fn ends_leases(twins: &mut Twins) -> bool {
    let limit = Limit::concurrency(2, ms(1000));
    let permit = |id| Call::Decide(Mode::Check, vec![TestRequest::new(0, limit, 1).with_permit(id)]);
    same(twins, [(0, permit(5)), (500_000, permit(6)), (1_000_000, permit(7))]).await
}

/// Whether a block stays in force if a shorter pause comes during the block. A call is then refused, and does not wait for the
/// end of the block.
pub(crate) async fn keeps_blocks(twins: &mut Twins) -> bool {
    let limit = Limit::counter(5, ms(60_000)).wait(ms(60_000));
    let close = |change| Call::Adjust(vec![TestAdjustment { key: 0, limit, units: 1, change }]);
    let (block, pause) = (close(Change::Block(30_000)), close(Change::Pause(10_000)));
    same(twins, [(0, block), (0, pause), (0, ask(Mode::Charge, limit, 1))]).await
}

/// Whether charges are exact near the largest number of units that the short form of a state holds (`lua/head.lua`).
pub(crate) async fn counts_much(twins: &mut Twins) -> bool {
    let mut counts = true;
    let limit = Limit::counter(95_000_000, ms(60_000));
    for costs in [[1, 92_100_000], [80_000_000, 11_999_999], [80_000_000, 12_000_000], [92_000_000, 1]] {
        let each = costs.map(|cost| [ask(Mode::Check, limit, cost), ask(Mode::Peek, limit, 1)]).into_iter();
        let then = [ask(Mode::Charge, limit, 7), ask_all([0; 3], limit, 100)];
        counts &= same(twins, each.flatten().chain(then).map(|call| (0, call))).await;
    }
    // As one number, the reply to a call of this limit would be 2^53 - 1. But this number announces a reply of three numbers,
    // so the script must send three numbers.
    let packed = Limit::counter(1 << 30, ms((1 << 23) - 1));
    // A limit whose reply fits into one number only if few units remain.
    let large = Limit::counter(1_000_000, ms(9_900_000_000));
    let mut calls = vec![
        (0, ask(Mode::Check, packed, 1)),
        (0, ask_all([1, 2], large, 50_000)),
        (0, ask_all([3, 2, 4], large, 960_000)),
    ];
    // A bucket of which nothing is in use, so that it starts again, with a state above 2^53.
    let fast = Limit::token_bucket(1_000_000, ms(1_000_000));
    for now in (0..6).map(|call| call * 3_001_000) {
        calls.extend([(now, ask_all([3, 4], fast, 1)), (now + 10_000, ask_all([3, 4], fast, 2003))]);
        calls.push((now + 10_000, Call::Decide(Mode::Peek, vec![TestRequest::new(3, fast, 1)])));
    }
    counts &= same(twins, calls).await;
    // The level of this bucket stays low, but the units that were charged since its anchor become too many for the short form.
    let bucket = Limit::token_bucket(1_799_999, ms(60_000));
    let calls = (0..12).map(|call| (call * 19_000_000, ask(Mode::Check, bucket, 600_000)));
    counts & same(twins, calls).await
}

/// A script call groups its requests in runs of the same limit. Returns whether each run is decided under its own limit, even
/// if two limits differ in only one number.
pub(crate) async fn tells_neighbors_apart(twins: &mut Twins) -> bool {
    let bucket = Limit::token_bucket(3, ms(1000)).burst(9);
    let counter = Limit::counter(5, ms(1000));
    let mut tells = true;
    for (one, other) in [
        (bucket, bucket.refill(Refill::Interval)),
        (bucket, Limit::token_bucket(7, ms(1000)).burst(9)),
        (bucket, bucket.burst(10)),
        (counter, Limit::counter(5, ms(2000))),
        (counter, counter.wait(ms(1000))),
    ] {
        for (first, second) in [(one, other), (other, one)] {
            let calls = [
                (0, Mode::Check, 5),
                (500, Mode::Peek, 1),
                (500, Mode::Charge, 4),
                (1500, Mode::Charge, 4),
                (1500, Mode::Check, 3),
                (2500, Mode::Peek, 1),
            ];
            let both = |cost| vec![TestRequest::new(0, first, cost), TestRequest::new(1, second, cost)];
            let calls = calls.map(|(after, mode, cost)| (after * 1000, Call::Decide(mode, both(cost))));
            tells &= same(twins, calls).await;
        }
    }
    tells
}

/// Whether decisions agree with the memory store while the clock crosses the end of an era in both directions. In each era of
/// 10^11 ms, the digits of the time in a short state start again at 0 (`lua/head.lua`).
pub(crate) async fn crosses_eras(twins: &mut Twins, numbers: &Numbers) -> bool {
    const END: u64 = 1_800_000_000_000_000 - START;
    let (limit, time) = (numbers.limit(), numbers.time * 1000);
    // Stores a state without a TTL that ends before the era ends.
    let full = [TestRequest::new(0, limit, numbers.count)];
    if !same(twins, [(END - 5 * time, Call::Decide(Mode::Check, full.to_vec()))]).await {
        return false;
    }
    redis::cmd("DEL").arg("test:deadlines").exec(twins.raw()).unwrap();
    twins.set_clock(START + END + 5000);
    let by_memory = decide(&twins.memory, Mode::Check, &full).await.unwrap();
    if !decide(&twins.redis, Mode::Check, &full).await.is_ok_and(|by_script| by_script == by_memory) {
        return false;
    }
    let (mut random, mut now, mut calls) = (fastrand::Rng::with_seed(7), END - time, Vec::new());
    for _ in 0..60 {
        let cost = random.u32(1..=numbers.count / 4 + 1);
        let requests = [0, 1].map(|key| TestRequest::new(key, limit, cost));
        let mode = random.choice([Mode::Check, Mode::Charge]).unwrap();
        calls.push((now, Call::Decide(mode, requests[..random.usize(1..=2)].to_vec())));
        // A peek at both keys removes the expired states before the clock steps back.
        calls.push((now, Call::Decide(Mode::Peek, requests.to_vec())));
        let forward = now < END || (now < END + time && random.bool());
        let step = random.choice([1000, time / 7, time / 3]).unwrap();
        now = if forward { now + step } else { now - step };
    }
    same(twins, calls).await
}

/// Whether the scripts for single requests leave the same text with the same TTL as `decide`. The store `decides` uses only
/// `decide`.
pub(crate) async fn writes_as_decide(twins: &mut Twins, decides: &RedisStore, numbers: &Numbers) -> bool {
    if matches!(numbers.kind, Kind::Log | Kind::Concurrency) || numbers.wait > 0 {
        return true;
    }
    twins.clear();
    let (limit, mut random, mut now) = (numbers.limit(), fastrand::Rng::with_seed(9), START);
    let keys = [0, 1].map(|number| key(number, &limit));
    for _ in 0..40 {
        now += random.choice([0, 1000, numbers.time * 100, numbers.time * 400, numbers.time * 1500]).unwrap();
        twins.set_clock(now);
        let one = TestRequest::new(0, limit, random.u32(1..=numbers.count / 3 + 1));
        let single = decide(&twins.redis, Mode::Check, &[one]).await;
        let other = decide(decides, Mode::Check, &[TestRequest { key: 1, ..one }]).await;
        let texts: Vec<Option<String>> = redis::cmd("MGET").arg(&keys).query(twins.raw()).unwrap();
        let ends: Vec<Option<u64>> =
            redis::cmd("HMGET").arg("test:deadlines").arg(&keys).query(twins.raw()).unwrap();
        let same = single.is_ok_and(|single| other.is_ok_and(|other| single == other));
        if !same || texts[0] != texts[1] || ends[0] != ends[1] {
            return false;
        }
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_requests_leave_the_state_of_decide() {
    let mut twins = Twins::start();
    let [decide, adjust] = __testing::scripts();
    let decides = __testing::with_texts(&twins.url(), CLOCK, decide, adjust).unwrap();
    for kind in [Kind::Counter, Kind::Greedy, Kind::Leaky, Kind::Window] {
        for (count, time) in [(5, 1000), (12, 60_000), (700, 7), (999, 86_400_000)] {
            let numbers = Numbers::new(kind, count, time);
            assert!(writes_as_decide(&mut twins, &decides, &numbers).await, "{numbers:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_may_change_under_a_key() {
    let mut twins = Twins::start();
    for kind in [Kind::Counter, Kind::Greedy, Kind::Interval, Kind::Leaky, Kind::Window] {
        assert!(shortens(&mut twins, kind).await, "{kind:?}");
    }
    assert!(slows(&mut twins).await);
    assert!(remembers(&mut twins).await);
    assert!(outlives_returns(&mut twins).await);
    assert!(gives_back_what_is_stored(&mut twins).await);
    assert!(keeps_tickets(&mut twins).await);
    assert!(ends_leases(&mut twins).await);
    assert!(keeps_blocks(&mut twins).await);
    assert!(counts_much(&mut twins).await);
    assert!(tells_neighbors_apart(&mut twins).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_may_cross_an_era() {
    let mut twins = Twins::start();
    for kind in [Kind::Counter, Kind::Greedy, Kind::Interval, Kind::Leaky, Kind::Window, Kind::Log] {
        for time in [1000, 60_000, DAY_MS] {
            assert!(crosses_eras(&mut twins, &Numbers::new(kind, 12, time)).await, "{kind:?} {time}");
        }
    }
}
