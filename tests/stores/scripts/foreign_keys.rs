//! Keys in a form that no script leaves: without a TTL, or with scores that no permit or ticket has.

use crate::harness::{TestAdjustment, TestRequest, Twins, adjust, decide, each, key};
use ratelimit::Limit;
use ratelimit::store::{Change, Mode};
use std::time::Duration;
use support::MINUTE;

const START: u64 = 1_763_000_000_000_000;

/// The number of keys of limits that never expire.
pub(crate) fn lasting_keys(twins: &mut Twins) -> usize {
    let mut lasting = twins.keys();
    let expiring: Vec<String> = redis::cmd("HKEYS").arg("test:deadlines").query(twins.raw()).unwrap();
    lasting.retain(|key| !expiring.contains(key));
    lasting.len()
}

/// The largest number of timestamps or permits under one key.
pub(crate) fn longest_list(twins: &mut Twins) -> u32 {
    let mut longest = 0;
    for key in twins.keys() {
        let mut length = redis::cmd(if key.ends_with(":cc2") { "ZCOUNT" } else { "LLEN" });
        length.arg(&key);
        if key.ends_with(":cc2") {
            length.arg(0).arg("+inf");
        }
        // A key that is not a list counts as one.
        longest = longest.max(length.query(twins.raw()).unwrap_or(1));
    }
    longest
}

/// Whether a permit stays held after its lease was renewed, even beside a permit with a short lease.
pub(crate) async fn renews(twins: &mut Twins, limit: Limit) -> bool {
    twins.clear();
    let lease = u64::try_from(limit.time().as_micros()).unwrap();
    let one = TestRequest::new(0, limit, 1).with_permit(5);
    let short =
        TestRequest::new(0, Limit::concurrency(limit.count(), Duration::from_secs(1)), 1).with_permit(6);
    let renewal = TestAdjustment { key: 0, limit, units: 1, change: Change::Renew(5) };
    twins.set_clock(START);
    let mut held = true;
    for permit in [one, short] {
        held &= decide(&twins.redis, Mode::Check, &[permit])
            .await
            .is_ok_and(|decisions| decisions[0].is_allowed());
    }
    let mut renewed = Vec::new();
    for after in [lease - 1000, 2 * lease - 2000, 3 * lease] {
        twins.set_clock(START + after);
        renewed.extend(adjust(&twins.redis, &[renewal]).await.unwrap_or_default());
    }
    held && renewed == [1, 1, 0]
}

/// Whether a key without a TTL counts exactly until the end that its state contains. Also checks that the next charge sets a
/// TTL again.
pub(crate) async fn repairs(twins: &mut Twins, limit: Limit) -> bool {
    twins.clear();
    twins.set_clock(START);
    let all = TestRequest::new(0, limit, limit.capacity()).with_permit(5);
    let one = TestRequest::new(0, limit, 1).with_permit(6);
    let Ok(first) = decide(&twins.redis, Mode::Check, &[all]).await else { return false };
    redis::cmd("DEL").arg("test:deadlines").exec(twins.raw()).unwrap();
    let reset = first[0].reset_after();
    let mut remaining = Vec::new();
    for after in [Duration::ZERO, reset.saturating_sub(Duration::from_millis(1)), reset] {
        twins.set_clock(START + u64::try_from(after.as_micros()).unwrap());
        let Ok(seen) = decide(&twins.redis, Mode::Peek, &[one]).await else { return false };
        remaining.push(seen[0].remaining());
    }
    let counts = remaining[0] == 0 && remaining[1] < limit.capacity() && remaining[2] == limit.capacity();
    // No unit was in use at the time of the last peek, so this charge leaves all units except one.
    let second = decide(&twins.redis, Mode::Check, &[one]).await;
    let is_fresh = second.is_ok_and(|second| second[0].remaining() == limit.capacity() - 1);
    first[0].is_allowed() && counts && is_fresh && lasting_keys(twins) == 0
}

fn limits() -> Vec<Limit> {
    let mut limits = each(5, MINUTE);
    limits.push(Limit::concurrency(5, MINUTE).wait(MINUTE));
    limits
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_ttl_is_repaired_by_the_script() {
    let mut twins = Twins::start();
    for limit in limits() {
        assert!(repairs(&mut twins, limit).await, "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_lease_outlives_a_short_one() {
    let mut twins = Twins::start();
    for limit in limits().into_iter().filter(Limit::is_concurrency) {
        assert!(renews(&mut twins, limit).await, "{limit}");
    }
}

/// A set with scores above all leases or below all tickets is foreign. Such a set must not keep the server busy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_with_other_scores_than_those_of_permits_is_foreign() {
    let mut twins = Twins::start();
    for limit in limits().into_iter().filter(Limit::is_concurrency) {
        for score in ["+inf", "1e300", "4503599627370496", "-1e300", "-inf"] {
            twins.clear();
            redis::cmd("ZADD").arg(key(0, &limit)).arg(score).arg("member").exec(twins.raw()).unwrap();
            for mode in [Mode::Peek, Mode::Check, Mode::Charge] {
                let request = TestRequest::new(0, limit, 1).with_permit(7);
                let decided = decide(&twins.redis, mode, &[request]).await;
                assert!(decided.is_err(), "{limit} {score} {mode:?}: {decided:?}");
            }
        }
    }
}
