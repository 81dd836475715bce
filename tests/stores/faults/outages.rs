//! Outages under load. Few calls wait until their deadline, and no call is counted twice.

use super::unreliable_server::{FAULTS, MISSED_BEFORE_OUTAGE, UnreliableServer};
use crate::harness::{HUGE, call_from_tasks, failure, limiter_at, used, wait_until_reachable};
use ratelimit::{ErrorKind, OnError};
use support::Traffic;
use tokio::task::JoinSet;

const CALLERS: usize = 32;
const CALLS: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_calls_of_an_outage_wait_for_their_deadline() {
    for fault in FAULTS {
        let mut server = UnreliableServer::start();
        let limiter = server.limiter(OnError::Deny).await;
        server.begin(fault);
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let limiter = limiter.clone();
            callers.spawn(async move {
                let mut deadlines = 0;
                for _ in 0..CALLS {
                    let kind = failure(limiter.check(&HUGE, "calls").await);
                    deadlines += usize::from(kind == Some(ErrorKind::Timeout));
                }
                deadlines
            });
        }
        let deadlines: usize = callers.join_all().await.into_iter().sum();
        // All callers may be waiting when the client notices the outage. If the client can reconnect, this may happen twice.
        let most = 2 * (MISSED_BEFORE_OUTAGE + CALLERS);
        assert!(deadlines <= most, "{fault:?}: {deadlines} calls waited for their deadline");
        server.end();
        wait_until_reachable(&limiter).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_arrive_in_slices_are_put_together() {
    let server = UnreliableServer::start();
    let hasty = server.limiter(OnError::Deny).await;
    server.proxy.set(Traffic::Slice);
    let patient = limiter_at(server.proxy.url()).connect().await.unwrap();
    call_from_tasks(&patient, 32, 5).await;
    wait_until_reachable(&hasty).await;
    assert_eq!(used(&patient).await, 32 * 5);
}
