//! Tests of the table of permits.

use super::taken::MOST_LOST;
use super::*;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::limiter::OnError;
use crate::proxies::Proxies;
use crate::store::{Adjustment, Decisions, Mode, Store};

#[tokio::test]
async fn a_permit_of_the_store_and_one_of_its_fallback_may_have_the_same_id() {
    let limiter = RateLimiter::in_memory();
    let limit = Limit::concurrency(1, Duration::from_secs(60));
    let request = Request::new(StoreKey::new(b"key"), limit, 1).with_permit(7);
    let renewals = &limiter.shared.permits;
    for source in [Source::Store, Source::Local] {
        renewals.hold(&limiter, source, &request, "", Instant::now());
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
        let permit = TakenPermit::held(&request, Source::Store, None, Instant::now());
        let task = limiter.shared.tasks.count();
        table.insert((Source::Store, id), permit.released(Stage::Lost, Duration::ZERO, task));
    }
    assert_eq!((table.permits.len(), table.lost.len()), (MOST_LOST, MOST_LOST));
    assert!(!table.permits.contains_key(&(Source::Store, 2)));
}

/// A store that refuses each call, and replies after this time.
struct Late(Duration);

impl Store for Late {
    fn decide(&self, _: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let (after, limit) = (self.0, *requests[0].limit());
        Reply::pending(async move {
            tokio::time::sleep(after).await;
            let soon = Some(Duration::from_millis(20));
            Ok(Decisions::one(crate::Decision::refuse(&limit, 0, soon, limit.time())))
        })
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(Ok(Adjusted::from_iter([0])))
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::ready(Ok(0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_at_most_its_wait_and_one_deadline() {
    const SECOND: Duration = Duration::from_secs(1);
    let limit = Limit::concurrency(1, 60 * SECOND).wait(SECOND);
    // The call sends its second to last request just before its wait ends. The reply to that request arrives long after the
    // wait.
    for reply in [SECOND / 10, SECOND * 9 / 10] {
        let builder = RateLimiter::builder().deadline(SECOND).on_error(OnError::Deny);
        let limiter = builder.around_test_store(Late(reply), Proxies::default());
        let start = Instant::now();
        assert!(limiter.permit(&limit, "a").await.is_err());
        let took = start.elapsed().as_millis();
        assert!((1000..=2005).contains(&took), "a reply after {reply:?}: {took} ms");
    }
}
