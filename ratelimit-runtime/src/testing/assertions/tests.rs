use crate::key::{AsKey, Key};
use crate::limit::Limit;
use crate::testing::TestLimiter;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const TWICE: Limit = Limit::counter(2, MINUTE);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs an assertion that fails, and returns its message.
fn message(assertion: impl Future<Output = ()>) -> String {
    let failed = std::panic::catch_unwind(AssertUnwindSafe(|| runtime().block_on(assertion))).unwrap_err();
    *failed.downcast().unwrap()
}

#[tokio::test]
async fn limits_that_hold_pass() {
    let limiter = TestLimiter::new();
    let call = || limiter.check(&TWICE, "a");
    limiter.assert_admitted(2, call).await;
    limiter.assert_refused_for(MINUTE, call).await;
    limiter.assert_admitted(1, call).await;
    limiter.clock().advance(MINUTE / 4);
    limiter.assert_refused_for(MINUTE * 3 / 4, call).await;
    let bucket = Limit::token_bucket(60, MINUTE).lease(6);
    limiter.assert_admitted(60, || limiter.check(&bucket, "leased")).await;
    limiter.assert_refused_for(MINUTE / 60, || limiter.check(&bucket, "leased")).await;
    let both: [(&Limit, &dyn AsKey, u32); 2] = [(&TWICE, &"b", 1), (&bucket, &"c", 30)];
    limiter.assert_admitted(2, || limiter.check_all(&both)).await;
    limiter.assert_refused_for(MINUTE, || limiter.check_all(&both)).await;
}

#[test]
fn a_failed_assertion_says_where_and_why() {
    let limiter = TestLimiter::new();
    let call = || limiter.check(&TWICE, Key::new("a").by(7));
    let shown = message(limiter.assert_admitted(3, call));
    assert!(shown.contains("assertions/tests.rs:"), "the place of the assertion: {shown}");
    assert!(
        shown.contains("call 3 of 3 was refused by `ratelimit:{7}:a:c2`, to be tried again after 60s"),
        "{shown}"
    );
    for (time, says) in [
        (MINUTE * 2, "the call was admitted before 120s had passed"),
        (Duration::ZERO, "a refusal lasts at least 1 ms"),
    ] {
        let other = TestLimiter::new();
        let once = Limit::counter(1, MINUTE);
        let call = || other.check(&once, "a");
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(other.assert_admitted(1, call));
        assert!(message(other.assert_refused_for(time, call)).contains(says));
    }
    let shown = message(limiter.assert_refused_for(MINUTE / 2, call));
    assert!(shown.contains("the call was still refused after 30s by"), "{shown}");
    let shown = message(limiter.assert_refused_for(MINUTE, || limiter.check(&TWICE, "unused")));
    assert!(shown.contains("the call was admitted; expected a refusal for 60s"), "{shown}");
    let shown = message(limiter.assert_refused_for(MINUTE, || limiter.check_cost(&TWICE, "unused", 3)));
    assert!(shown.contains("for ever: its cost is above"), "{shown}");
    let shown = message(limiter.assert_admitted(1, async || {}));
    assert!(shown.contains("asked this limiter for no decision"), "{shown}");
    limiter.set_available(false);
    let shown = message(limiter.assert_admitted(1, || limiter.check(&TWICE, "a")));
    assert!(shown.contains("the store is unavailable"), "{shown}");
}
