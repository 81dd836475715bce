//! governor: a keyed limiter in the process.

use crate::{FIVE, seven};
use ratelimit::testing::TestLimiter;

mod before {
    use governor::{DefaultKeyedRateLimiter, Quota};
    use std::num::NonZeroU32;
    use std::sync::LazyLock;

    static SEARCHES: LazyLock<DefaultKeyedRateLimiter<u64>> = LazyLock::new(|| {
        const TWO: NonZeroU32 = NonZeroU32::new(2).unwrap();
        const FIVE: NonZeroU32 = NonZeroU32::new(5).unwrap();
        DefaultKeyedRateLimiter::keyed(Quota::per_second(TWO).allow_burst(FIVE))
    });

    pub(super) async fn search(user: u64) -> Result<String, String> {
        if SEARCHES.check_key(&user).is_err() {
            return Err("too many requests".to_owned());
        }
        Ok(format!("results of user {user}"))
    }
}

mod after {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(key = "search", algorithm = "token_bucket", time = "1s", count = 2, burst = 5, by = user)]
    pub(super) async fn search(user: u64) -> Result<String, Rejection> {
        Ok(format!("results of user {user}"))
    }
}

#[tokio::test]
async fn both_admit_five_searches_of_a_user_at_once() {
    let limiter = TestLimiter::new();
    // governor uses the real clock. Seven calls take less than the half second after which a unit comes back.
    assert_eq!(seven(async || before::search(7).await.is_ok()).await, FIVE);
    assert_eq!(seven(async || limiter.scope(after::search(7)).await.is_ok()).await, FIVE);
    assert!(before::search(8).await.is_ok() && limiter.scope(after::search(8)).await.is_ok());
}
