//! Tests of `LeasedUnits`: the size of fetches, the time for which units are usable, and the pauses after refusals.

use super::key_lease::KeyLease;
use super::units::{LeasedUnits, Portion};
use crate::clock::micros;
use crate::decision::Decision;
use crate::limit::Limit;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
/// A limit whose leases last for a sixteenth of its window, 100 ms.
const LIMIT: Limit = Limit::counter(10_000, Duration::from_millis(1600)).lease(500);

/// Fetches the wanted units and uses up to `units` of them, one after each pause. Returns the number of fetched units.
fn use_up(leased: &mut LeasedUnits, now: &mut u64, units: u32, pause: Duration) -> u32 {
    let taken = leased.wanted(1, 0, *now);
    let decision = Decision::allow(&LIMIT, 0, LIMIT.time()).in_turn(Duration::ZERO, 7);
    leased.fill(taken, &decision, *now, *now);
    assert!(leased.take(1, *now).is_some());
    for _ in 1..units.min(taken) {
        *now += micros(pause);
        assert!(leased.take(1, *now).is_some());
    }
    *now += micros(pause);
    taken
}

fn units(unused: &[Portion]) -> u32 {
    unused.iter().map(|unused| unused.units).sum()
}

#[test]
fn a_fetch_lasts_for_a_tenth_of_a_second() {
    let mut now = 0;
    let mut leased = LeasedUnits::new(LIMIT, now);
    let mut taken = Vec::new();
    for _ in 0..8 {
        taken.push(use_up(&mut leased, &mut now, 500, MS));
    }
    assert_eq!(taken, [1, 2, 4, 8, 16, 32, 64, 100]);
    // Calls are ten times as frequent, until the largest lease is reached. Afterwards, calls are few and rare.
    for _ in 0..4 {
        taken.push(use_up(&mut leased, &mut now, 500, MS / 10));
    }
    assert_eq!(taken[8..], [100, 200, 400, 500]);
    use_up(&mut leased, &mut now, 10, 10 * MS);
    now += micros(300 * MS);
    assert_eq!(units(&leased.outdated(now)), 490);
    assert_eq!(use_up(&mut leased, &mut now, 2, 390 * MS), 2);
    assert_eq!(use_up(&mut leased, &mut now, 1, MS), 1);
    assert_eq!([0, 30, 900].map(|waiting| leased.wanted(1, waiting, now)), [2, 31, 500]);
}

#[test]
fn units_are_handed_out_while_they_are_usable() {
    let mut now = 0;
    let mut leased = LeasedUnits::new(LIMIT, now);
    leased.fill(4, &Decision::allow(&LIMIT, 0, LIMIT.time()), now, now);
    now += micros(399 * MS);
    assert!(leased.take(1, now).is_some() && leased.outdated(now).is_empty());
    now += micros(MS);
    assert!(leased.take(1, now).is_none());
    assert_eq!(units(&leased.outdated(now)), 3);
    // The window of the charge has ended, so its units cannot be returned.
    leased.fill(4, &Decision::allow(&LIMIT, 0, 30 * MS), now, now);
    now += micros(30 * MS);
    assert!(leased.take(1, now).is_none() && leased.remove_all(now).is_empty());
}

#[test]
fn units_of_two_charges_are_told_apart() {
    let mut now = 0;
    let mut leased = LeasedUnits::new(LIMIT, now);
    let charge = |stamp| Decision::allow(&LIMIT, 0, LIMIT.time()).in_turn(Duration::ZERO, stamp);
    leased.fill(5, &charge(1), now, now);
    now += micros(300 * MS);
    leased.fill(5, &charge(2), now, now);
    assert!(leased.take(11, now).is_none() && leased.take(7, now).is_some());
    leased.fill(5, &charge(3), now, now);
    let stamps = |unused: Vec<Portion>| unused.iter().map(|u| (u.stamp, u.units)).collect::<Vec<_>>();
    now += micros(399 * MS);
    assert!(leased.outdated(now).is_empty());
    assert_eq!(stamps(leased.remove_all(now)), [(2, 3), (3, 5)]);
}

/// The bucket has too few units for a fetch. In the first case, it has the missing units after 60 ms. In the second case, it
/// would need longer than the longest pause, a sixteenth of a second.
#[test]
fn a_bucket_with_too_few_units_is_asked_again_when_it_has_enough() {
    let mut now = 0;
    let bucket = Limit::token_bucket(1000, Duration::from_secs(1)).lease(90);
    for (missing, enough, retry_after, most) in [(60, 60, 60, 60), (85, 85, 63, 62)] {
        let mut leased = LeasedUnits::new(bucket, now);
        leased.fill(30, &Decision::allow(&bucket, 0, bucket.time()), now, now);
        assert!(leased.take(30, now).is_some());
        leased.note_shortage(missing, &Decision::refuse(&bucket, 30, Some(enough * MS), bucket.time()), now);
        assert!(leased.take(1, now).is_none());
        let refusal = leased.refusal(most, now).unwrap();
        assert_eq!((refusal.retry_after(), refusal.reset_after()), (Some(retry_after * MS), bucket.time()));
        assert!(leased.refusal(most + 1, now).is_none(), "a higher cost may have to wait longer");
        now += micros(retry_after * MS);
        assert!(leased.refusal(1, now).is_none());
    }
    // The units of a counter do not come back one by one, so there is no pause.
    let mut leased = LeasedUnits::new(LIMIT, now);
    leased.note_shortage(60, &Decision::refuse(&LIMIT, 3, Some(MS), LIMIT.time()), now);
    assert!(leased.refusal(1, now).is_none());
}

#[test]
fn a_refusal_by_a_remote_bucket_holds_for_a_pause() {
    let mut now = 0;
    let bucket = Limit::token_bucket(1000, Duration::from_secs(1));
    for (limit, from_remote_store, retry_after) in
        [(bucket, true, 63 * MS), (bucket, false, MS), (LIMIT, true, MS)]
    {
        let mut leased = LeasedUnits::new(limit, now);
        let refusal = Decision::refuse(&limit, 0, Some(MS), limit.time());
        assert_eq!(leased.note_refusal(refusal, now, from_remote_store).retry_after(), Some(retry_after));
        now += micros(retry_after * 9 / 10);
        assert!(leased.is_exhausted(now));
        now += micros(retry_after / 10);
        assert!(!leased.is_exhausted(now));
    }
}

/// One call per millisecond uses 100 units in a tenth of a second. If a fetch takes 3 ms, the next fetch begins when 6 units
/// are left.
#[test]
fn units_are_fetched_in_advance_while_a_fetch_takes_time() {
    for (fetch_takes, low, left_in_store) in
        [(3, Some(6), 100), (70, Some(50), 100), (0, None, 100), (3, Some(6), 99)]
    {
        let (mut leased, mut now) = (LeasedUnits::new(LIMIT, 0), 0);
        for _ in 0..7 {
            use_up(&mut leased, &mut now, 500, MS);
        }
        assert_eq!(leased.wanted(1, 0, now), 100);
        let sent = now;
        now += micros(fetch_takes * MS);
        leased.fill(100, &Decision::allow(&LIMIT, left_in_store, LIMIT.time()), sent, now);
        let mut told = Vec::new();
        for left in (0..100).rev() {
            if leased.take(1, now).unwrap().is_low {
                told.push(left);
            }
        }
        assert_eq!(told, low.into_iter().collect::<Vec<u32>>());
        assert_eq!(leased.wanted_in_advance(now) > 0, left_in_store >= 100);
    }
}

/// One call every 20 ms uses less than one unit in 6 ms, which is twice the duration of a fetch. Units that are fetched in
/// advance would stay unused.
#[test]
fn few_calls_fetch_nothing_in_advance() {
    let (mut leased, mut now) = (LeasedUnits::new(LIMIT, 0), 0);
    for _ in 0..7 {
        use_up(&mut leased, &mut now, 500, 20 * MS);
    }
    let (units, sent) = (leased.wanted(1, 0, now), now);
    now += micros(3 * MS);
    leased.fill(units, &Decision::allow(&LIMIT, 100, LIMIT.time()), sent, now);
    for _ in 0..units {
        assert!(!leased.take(1, now).unwrap().is_low);
    }
}

/// The size matters, because the table stores each lease in place, and a call that finds units reads one lease.
#[test]
fn a_lease_takes_little_space() {
    assert!(size_of::<KeyLease>() <= 248, "{} bytes", size_of::<KeyLease>());
}
