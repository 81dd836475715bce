//! Tests of `LeasedUnits`: the size of fetches, how long units are usable, and pauses after refusals.

use super::units::{LeasedUnits, Unused};
use crate::decision::Decision;
use crate::limit::Limit;
use std::time::Duration;
use tokio::time::Instant;

const MS: Duration = Duration::from_millis(1);
/// A sixteenth of its window is 100 ms.
const LIMIT: Limit = Limit::counter(10_000, Duration::from_millis(1600)).lease(500);

/// Fetches the wanted units and uses up to `units` of them, one after each pause. Returns the fetched number.
async fn use_up(leased: &mut LeasedUnits, units: u32, pause: Duration) -> u32 {
    let taken = leased.wanted(1, 0);
    let decision = Decision::allow(&LIMIT, 0, LIMIT.time()).in_turn(Duration::ZERO, 7);
    leased.fill(taken, &decision, Instant::now());
    assert!(leased.take(1).is_some());
    for _ in 1..units.min(taken) {
        tokio::time::advance(pause).await;
        assert!(leased.take(1).is_some());
    }
    tokio::time::advance(pause).await;
    taken
}

fn units(unused: &[Unused]) -> u32 {
    unused.iter().map(|unused| unused.units).sum()
}

#[tokio::test(start_paused = true)]
async fn a_fetch_lasts_for_a_tenth_of_a_second() {
    let mut leased = LeasedUnits::new(LIMIT);
    let mut taken = Vec::new();
    for _ in 0..8 {
        taken.push(use_up(&mut leased, 500, MS).await);
    }
    assert_eq!(taken, [1, 2, 4, 8, 16, 32, 64, 100]);
    // Ten times as many calls, up to the largest lease. Then few and rare calls.
    for _ in 0..4 {
        taken.push(use_up(&mut leased, 500, MS / 10).await);
    }
    assert_eq!(taken[8..], [100, 200, 400, 500]);
    use_up(&mut leased, 10, 10 * MS).await;
    tokio::time::advance(300 * MS).await;
    assert_eq!(units(&leased.outdated()), 490);
    assert_eq!(use_up(&mut leased, 2, 390 * MS).await, 2);
    assert_eq!(use_up(&mut leased, 1, MS).await, 1);
    assert_eq!([0, 30, 900].map(|waiting| leased.wanted(1, waiting)), [2, 31, 500]);
}

#[tokio::test(start_paused = true)]
async fn units_are_handed_out_while_they_are_usable() {
    let mut leased = LeasedUnits::new(LIMIT);
    leased.fill(4, &Decision::allow(&LIMIT, 0, LIMIT.time()), Instant::now());
    tokio::time::advance(399 * MS).await;
    assert!(leased.take(1).is_some() && leased.outdated().is_empty());
    tokio::time::advance(MS).await;
    assert!(leased.take(1).is_none());
    assert_eq!(units(&leased.outdated()), 3);
    // Units of a window that has ended cannot be returned.
    leased.fill(4, &Decision::allow(&LIMIT, 0, 30 * MS), Instant::now());
    tokio::time::advance(30 * MS).await;
    assert!(leased.take(1).is_none() && leased.remove_all().is_empty());
}

#[tokio::test(start_paused = true)]
async fn units_of_two_charges_are_told_apart() {
    let mut leased = LeasedUnits::new(LIMIT);
    let charge = |stamp| Decision::allow(&LIMIT, 0, LIMIT.time()).in_turn(Duration::ZERO, stamp);
    leased.fill(5, &charge(1), Instant::now());
    tokio::time::advance(300 * MS).await;
    leased.fill(5, &charge(2), Instant::now());
    assert!(leased.take(11).is_none() && leased.take(7).is_some());
    leased.fill(5, &charge(3), Instant::now());
    let stamps = |unused: Vec<Unused>| unused.iter().map(|u| (u.stamp, u.units)).collect::<Vec<_>>();
    tokio::time::advance(399 * MS).await;
    assert!(leased.outdated().is_empty());
    assert_eq!(stamps(leased.remove_all()), [(2, 3), (3, 5)]);
}

/// The bucket has 30 of 90 units. It has the missing units after 60 ms in the first case. In the second case it would need
/// longer than the pause of a sixteenth of a second.
#[tokio::test(start_paused = true)]
async fn a_bucket_with_too_few_units_is_asked_again_when_it_has_enough() {
    let bucket = Limit::token_bucket(1000, Duration::from_secs(1)).lease(90);
    for (missing, enough, retry_after, most) in [(60, 60, 60, 60), (85, 85, 63, 62)] {
        let mut leased = LeasedUnits::new(bucket);
        leased.fill(30, &Decision::allow(&bucket, 0, bucket.time()), Instant::now());
        assert!(leased.take(30).is_some());
        leased.note_shortage(missing, &Decision::refuse(&bucket, 30, Some(enough * MS), bucket.time()));
        assert!(leased.take(1).is_none());
        let refusal = leased.refusal(most).unwrap();
        assert_eq!((refusal.retry_after(), refusal.reset_after()), (Some(retry_after * MS), bucket.time()));
        assert!(leased.refusal(most + 1).is_none(), "a higher cost may have to wait longer");
        tokio::time::advance(retry_after * MS).await;
        assert!(leased.refusal(1).is_none());
    }
    // A counter does not refill within its window, so there is no pause.
    let mut leased = LeasedUnits::new(LIMIT);
    leased.note_shortage(60, &Decision::refuse(&LIMIT, 3, Some(MS), LIMIT.time()));
    assert!(leased.refusal(1).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_by_a_remote_bucket_holds_for_a_pause() {
    let bucket = Limit::token_bucket(1000, Duration::from_secs(1));
    for (limit, from_remote_store, retry_after) in
        [(bucket, true, 63 * MS), (bucket, false, MS), (LIMIT, true, MS)]
    {
        let mut leased = LeasedUnits::new(limit);
        let refusal = Decision::refuse(&limit, 0, Some(MS), limit.time());
        assert_eq!(
            leased.note_refusal(refusal, Instant::now(), from_remote_store).retry_after(),
            Some(retry_after)
        );
        tokio::time::advance(retry_after * 9 / 10).await;
        assert!(leased.is_exhausted());
        tokio::time::advance(retry_after / 10).await;
        assert!(!leased.is_exhausted());
    }
}
