//! Outages while calls go on: few of them wait in vain.

use crate::setup::{SECOND, Stopped, failure, limiter_on};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter};
use std::time::Duration;
use support::{Proxy, RedisServer, Traffic};
use tokio::task::JoinSet;

pub(crate) const DEADLINE: Duration = Duration::from_millis(100);
const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
const CALLERS: usize = 32;
/// So many in a row have to wait in vain.
const MANY: usize = 5;

/// What a server may suffer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    Stopped,
    Way(Traffic),
}

pub(crate) const TROUBLES: [Trouble; 7] = [
    Trouble::Stopped,
    Trouble::Way(Traffic::Swallow),
    Trouble::Way(Traffic::DelayReplies(Duration::from_millis(300))),
    Trouble::Way(Traffic::LoseReplies),
    Trouble::Way(Traffic::CutReplies),
    Trouble::Way(Traffic::Reset),
    Trouble::Way(Traffic::Refuse),
];

/// A server, and the way to it.
pub(crate) struct Place {
    server: RedisServer,
    proxy: Proxy,
    stopped: Option<Stopped>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let server = RedisServer::start();
        let proxy = Proxy::start(server.port());
        Self { server, proxy, stopped: None }
    }

    pub(crate) async fn limiter(&self, on_error: OnError) -> RateLimiter {
        let limiter = limiter_on(&self.server).redis(self.proxy.url()).deadline(DEADLINE).on_error(on_error);
        limiter.build().await.unwrap()
    }

    pub(crate) fn begin(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Stopped => self.stopped = Some(Stopped::stop(&self.server)),
            Trouble::Way(traffic) => self.proxy.set(traffic),
        }
    }

    pub(crate) fn end(&mut self) {
        drop(self.stopped.take());
        self.proxy.set(Traffic::Pass);
    }
}

/// Waits until a limiter reaches its server again.
pub(crate) async fn back(limiter: &RateLimiter) {
    let back = async {
        while limiter.peek(&DAILY, "calls").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SECOND * 20, back).await.expect("the limiter has not found its server again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_costs_few_deadlines() {
    for trouble in TROUBLES {
        let mut place = Place::new();
        let limiter = place.limiter(OnError::Deny).await;
        place.begin(trouble);
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let limiter = limiter.clone();
            callers.spawn(async move {
                let mut deadlines = 0;
                for _ in 0..300 {
                    let kind = failure(limiter.check(&DAILY, "calls").await);
                    deadlines += usize::from(kind == Some(ErrorKind::Timeout));
                }
                deadlines
            });
        }
        let deadlines: usize = callers.join_all().await.into_iter().sum();
        // Those that are under way when it is one too many; where a connection can still be made, once more.
        assert!(deadlines <= 2 * (MANY + CALLERS), "{trouble:?}: {deadlines} deadlines were waited for");
        place.end();
        back(&limiter).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_in_slices_is_put_together() {
    let place = Place::new();
    let limiter = place.limiter(OnError::Deny).await;
    place.proxy.set(Traffic::Slice);
    let patient = limiter_on(&place.server).redis(place.proxy.url()).on_error(OnError::Deny);
    let patient = patient.build().await.unwrap();
    let mut calling = JoinSet::new();
    for _ in 0..CALLERS {
        let patient = patient.clone();
        calling.spawn(async move {
            for _ in 0..5 {
                patient.check(&DAILY, "calls").await.unwrap();
            }
        });
    }
    calling.join_all().await;
    back(&limiter).await;
    let left = patient.peek(&DAILY, "calls").await.unwrap().remaining();
    assert_eq!(DAILY.count() - left, 5 * u32::try_from(CALLERS).unwrap());
}
