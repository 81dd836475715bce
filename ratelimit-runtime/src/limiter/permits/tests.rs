//! Tests of the table of permits.

use super::table::MOST_LOST;
use super::*;
use crate::limit::Limit;

#[tokio::test]
async fn a_permit_of_the_store_and_one_of_its_fallback_may_have_the_same_id() {
    let limiter = RateLimiter::in_memory();
    let limit = Limit::concurrency(1, Duration::from_secs(60));
    let request = Request::new(StoreKey::new(b"key"), limit, 1).with_permit(7);
    let renewals = &limiter.shared.permits;
    for source in [Source::Store, Source::Local] {
        renewals.hold(&limiter, source, &request);
    }
    assert_eq!(renewals.with(|table| table.permits.len()), 2);
    renewals.release(&limiter, Source::Local, &request, Stage::Returned);
    let renewed: Vec<Source> =
        renewals.with(|table| table.permits.keys().map(|(source, _)| *source).collect());
    assert_eq!(renewed, [Source::Store]);
}

#[tokio::test]
async fn the_oldest_of_too_many_lost_permits_is_forgotten() {
    let limiter = RateLimiter::in_memory();
    let limit = Limit::concurrency(1, Duration::from_secs(60));
    let mut table = Table::default();
    for id in 1..=MOST_LOST as u64 + 2 {
        let request = Request::new(StoreKey::new(b"key"), limit, 1).with_permit(id);
        let permit = TakenPermit::held(&request, Source::Store, None);
        let task = limiter.shared.tasks.count();
        table.insert((Source::Store, id), permit.released(Stage::Lost, Duration::ZERO, task));
    }
    assert_eq!((table.permits.len(), table.lost.len()), (MOST_LOST, MOST_LOST));
    assert!(!table.permits.contains_key(&(Source::Store, 2)));
}
