//! Functions without a return value: a refused call is written into the argument that is a response.

use crate::harness::{PEER, Runs, scoped};
use async_trait::async_trait;
use ratelimit::__private::RejectionTarget;
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;

/// A response as in salvo: handlers write into it.
#[derive(Default)]
struct Response<'b> {
    body: &'b str,
    refused_by: Option<String>,
}

impl RejectionTarget for Response<'_> {
    fn write_rejection(&mut self, rejection: Rejection) {
        self.refused_by = Some(rejection.name().to_owned());
    }
}

/// What a request carries from one handler to the next.
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
    let _ = rejection;
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
        for (call, refused_by) in [(1, None), (2, Some("plain"))] {
            let mut res = Response::default();
            plain(runs, &mut depot, &mut res).await;
            assert_eq!((res.refused_by.as_deref(), res.body.is_empty()), (refused_by, call == 2));
        }
        for (call, refused_by) in [(1, None), (2, Some("handler"))] {
            let mut res = Response::default();
            runs.handle(&mut depot, &mut res).await;
            assert_eq!((res.refused_by.as_deref(), res.body.is_empty()), (refused_by, call == 2));
        }
        for refused_by in [None, Some("with an address")] {
            let mut res = Response::default();
            with_an_address((PEER, runs), PEER, Depot(0), &mut res).await;
            assert_eq!(res.refused_by.as_deref(), refused_by);
        }
        for refused_by in [None, Some("generic")] {
            let mut res = Response::default();
            generic(runs, &mut res, &mut depot).await;
            assert_eq!(res.refused_by.as_deref(), refused_by);
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
