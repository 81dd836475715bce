//! limitador: limits by namespace and variables.

use crate::{FIVE, seven};
use ratelimit::testing::TestLimiter;

mod before {
    use limitador::RateLimiter;
    use limitador::limit::Limit;
    use std::collections::HashMap;
    use std::error::Error;

    pub(super) fn limiter() -> Result<RateLimiter, Box<dyn Error>> {
        let limiter = RateLimiter::new(1000);
        limiter.add_limit(Limit::new("search", 5, 60, [], ["user".try_into()?]));
        Ok(limiter)
    }

    pub(super) fn search(limiter: &RateLimiter, user: u64) -> Result<String, Box<dyn Error>> {
        let context = HashMap::from([("user".to_owned(), user.to_string())]).into();
        if limiter.check_rate_limited_and_update(&"search".into(), &context, 1)?.limited {
            return Err("too many requests".into());
        }
        Ok(format!("results of user {user}"))
    }
}

mod after {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(key = "search", time = 60, count = 5, by = user)]
    pub(super) async fn search(user: u64) -> Result<String, Rejection> {
        Ok(format!("results of user {user}"))
    }
}

#[tokio::test]
async fn both_admit_five_searches_of_a_user() {
    let (theirs, ours) = (before::limiter().unwrap(), TestLimiter::new());
    assert_eq!(seven(async || before::search(&theirs, 7).is_ok()).await, FIVE);
    assert_eq!(seven(async || ours.scope(after::search(7)).await.is_ok()).await, FIVE);
    assert!(before::search(&theirs, 8).is_ok() && ours.scope(after::search(8)).await.is_ok());
}
