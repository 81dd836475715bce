//! Functions without a return value: a refused call is written into the argument that is a response.

use crate::harness::{PEER, Runs, scoped};
use async_trait::async_trait;
use ratelimit::__private::RejectionTarget;
use ratelimit::body::{Held, HoldBody};
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use std::time::Duration;

/// A response like salvo's, into which handlers write.
#[derive(Default)]
struct Response<'b> {
    body: &'b str,
    refused_by: Option<String>,
    held: Option<Held>,
}

impl RejectionTarget for Response<'_> {
    fn write_rejection(&mut self, rejection: Rejection) {
        self.refused_by = Some(rejection.name().to_owned());
    }
}

impl HoldBody for &mut Response<'_> {
    type Output = ();

    fn hold(self, held: Held) {
        self.held = Some(held);
    }
}

/// The data that a request carries from one handler to the next.
#[derive(Default)]
struct Depot(u32);

#[rate_limit(key = "plain", count = 1)]
async fn plain(runs: &Runs, depot: &mut Depot, res: &mut Response<'_>) {
    depot.0 += runs.add();
    res.body = "body";
}

#[rate_limit(key = "with an address", count = 1, by = "ip", settle = |()| 1)]
async fn with_an_address(
    (peer, runs): (SocketAddr, &Runs),
    from: SocketAddr,
    mut depot: Depot,
    _res: &mut Response<'_>,
) -> () {
    assert_eq!(peer, from);
    depot.0 += runs.add();
    if depot.0 > 0 {
        return;
    }
    runs.add();
}

#[rate_limit(key = "generic", count = 1, algorithm = "sliding_log")]
async fn generic<R: RejectionTarget + ?Sized>(runs: &Runs, rejection: &mut R, _: &mut Depot) {
    runs.add();
}

#[rate_limit(key = "other", count = 1, on_limit = |_| res.body = "refused")]
async fn by_hand(runs: &Runs, res: &mut Response<'_>) {
    runs.add();
}

#[async_trait]
trait Handler {
    async fn handle(&self, depot: &mut Depot, res: &mut Response<'_>);
}

#[async_trait]
impl Handler for Runs {
    #[rate_limit(key = "handler", count = 1)]
    async fn handle(&self, Depot(depot): &mut Depot, res: &mut Response<'_>) {
        *depot += self.add();
        res.body = "body";
    }
}

#[tokio::test]
async fn a_refusal_is_written_into_the_response() {
    let (runs, mut depot) = (&Runs::default(), Depot::default());
    scoped(async {
        for is_refused in [false, true] {
            let refused_by = |name| is_refused.then_some(name);
            let mut res = Response::default();
            plain(runs, &mut depot, &mut res).await;
            assert_eq!((res.refused_by.as_deref(), res.body.is_empty()), (refused_by("plain"), is_refused));
            let mut res = Response::default();
            runs.handle(&mut depot, &mut res).await;
            assert_eq!((res.refused_by.as_deref(), res.body.is_empty()), (refused_by("handler"), is_refused));
            let mut res = Response::default();
            with_an_address((PEER, runs), PEER, Depot(0), &mut res).await;
            assert_eq!(res.refused_by.as_deref(), refused_by("with an address"));
            let mut res = Response::default();
            generic(runs, &mut res, &mut depot).await;
            assert_eq!(res.refused_by.as_deref(), refused_by("generic"));
        }
    })
    .await;
    assert_eq!(runs.count(), 4, "no body of a refused call has run");
}

#[tokio::test]
async fn on_limit_takes_precedence() {
    let runs = &Runs::default();
    scoped(async {
        let mut res = Response::default();
        by_hand(runs, &mut res).await;
        by_hand(runs, &mut res).await;
        assert_eq!((res.body, res.refused_by), ("refused", None));
    })
    .await;
}

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const PERMITS: Limit = Limit::concurrency(1, Duration::from_secs(60));

/// The body may move its arguments, and change them.
#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", until = "body_end")]
async fn held(runs: &Runs, depot: &mut Depot, mut res: &mut Response<'_>) {
    let (depot, moved) = (depot, &mut *res);
    depot.0 += runs.add();
    moved.body = "body";
    if depot.0 > 9 {
        return;
    }
    res = moved;
    res.body = "a longer body";
}

#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", until = "body_end")]
async fn held_unless_it_fails(fails: bool, res: &mut Response<'_>) -> Outcome<()> {
    res.body = if fails { Err("fails")? } else { "body" };
    Ok(())
}

#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", until = "body_end", fallible)]
async fn held_and_fallible(res: &mut Response<'_>) {
    res.body = "body";
}

#[async_trait]
trait Streams {
    async fn stream(&self, depot: &mut Depot, res: &mut Response<'_>);
}

#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", until = "body_end")]
#[async_trait]
impl Streams for Runs {
    async fn stream(&self, depot: &mut Depot, res: &mut Response<'_>) {
        depot.0 += self.add();
        res.body = "body";
    }
}

async fn free(limits: &RateLimiter) -> bool {
    limits.peek(&PERMITS, "permits").await.unwrap().remaining() == 1
}

#[tokio::test]
async fn the_body_of_a_response_holds_a_permit() {
    let limits = RateLimiter::in_memory();
    ratelimit::scope(limits.clone(), async move {
        let (runs, mut depot, mut res) = (&Runs::default(), Depot::default(), Response::default());
        held(runs, &mut depot, &mut res).await;
        assert_eq!((res.body, depot.0, free(&limits).await), ("a longer body", 1, false));
        let mut refused = Response::default();
        held(runs, &mut depot, &mut refused).await;
        assert_eq!((refused.refused_by.as_deref(), refused.held.is_none()), (Some("permits"), true));
        drop(res.held.take());
        assert!(free(&limits).await);

        held_unless_it_fails(false, &mut res).await.unwrap();
        assert!(!free(&limits).await && held_unless_it_fails(false, &mut refused).await.is_err());
        drop(res.held.take());
        held_unless_it_fails(true, &mut res).await.unwrap_err();
        assert!(free(&limits).await && res.held.is_none(), "an error ends at once");

        held_and_fallible(&mut res).await.unwrap();
        assert!(!free(&limits).await && held_and_fallible(&mut refused).await.is_err());
        drop(res.held.take());
        runs.stream(&mut depot, &mut res).await;
        assert!(!free(&limits).await && res.held.take().is_some());
        assert!(free(&limits).await);
    })
    .await;
}
