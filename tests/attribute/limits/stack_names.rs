//! The names of several limits on one function. A name contains the time only if two limits would otherwise have the same
//! name.

use crate::harness::{keys_of, limited, scoped, scoped_with};
use ratelimit::clock::ManualClock;
use ratelimit::{Key, Limit, Rejection, rate_limit};
use std::time::Duration;
use support::SECOND;

limited! {
    #[rate_limit(time = 1, count = 2, by = user)]
    #[rate_limit(time = "1m", count = 3, by = user)]
    #[rate_limit(key = "all", time = 1, count = 1000, algorithm = "token_bucket")]
    of_one_name(user: u64);
    #[rate_limit(key = "named:{kind}", time = "1s")]
    #[rate_limit(key = "named:{kind}", time = "90s")]
    #[rate_limit(key = "named:{kind}", time = "1500ms", shadow = true)]
    #[rate_limit(key = "named:{kind}", time = "7d", shadow = true)]
    #[rate_limit(key = "also:{kind}", shadow = true)]
    named(kind: &str);
    #[rate_limit(key = "trial", time = "1s")]
    #[rate_limit(key = "trial", time = "1d", shadow = in_trial)]
    in_trial(in_trial: bool);
}

#[tokio::test]
async fn limits_with_the_same_name_are_distinguished_by_their_time() {
    let keys = keys_of(async { of_one_name(7).await.unwrap() }).await;
    let name = |time| format!("{{7}}:attribute::limits::stack_names::of_one_name/{time}");
    assert_eq!(keys, [name("1s"), name("1m"), "{all}".to_owned()]);
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        let refused = async || {
            let rejection = of_one_name(7).await.unwrap_err();
            let (_, time) = rejection.name().rsplit_once('/').unwrap();
            (time.to_owned(), rejection.retry_after())
        };
        of_one_name(7).await.unwrap();
        of_one_name(7).await.unwrap();
        assert_eq!(refused().await, ("1s".to_owned(), Some(SECOND)));
        clock.advance(SECOND);
        of_one_name(7).await.unwrap();
        assert_eq!(refused().await, ("1m".to_owned(), Some(SECOND * 59)));
    })
    .await;
}

struct Typed;

#[rate_limit(time = 1)]
#[rate_limit(time = "1d", shadow = true)]
#[rate_limit(time = "1h")]
impl Typed {
    async fn method(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[tokio::test]
async fn the_name_says_the_time_only_where_two_limits_would_have_one_name() {
    let keys = keys_of(async { named("a").await.unwrap() }).await;
    assert_eq!(
        keys,
        [
            "{named:<kind>/1s=a}",
            "{named:<kind>/90s=a}",
            "{named:<kind>/1500ms/shadow=a}",
            "{named:<kind>/7d/shadow=a}",
            "{also:<kind>/shadow=a}"
        ]
    );
    let keys = keys_of(async { in_trial(false).await.unwrap() }).await;
    assert_eq!(keys, ["{trial/1s}", "{trial/1d}"]);
    let keys = keys_of(async { in_trial(true).await.unwrap() }).await;
    assert_eq!(keys, ["{trial/1s}", "{trial/1d/shadow}"]);
    let keys = keys_of(async { Typed.method().await.unwrap() }).await;
    let key = |name| {
        format!(
            "{{attribute::limits::stack_names::method/{name}=attribute%3a%3alimits%3a%3astack_names%3a%3aTyped}}"
        )
    };
    assert_eq!(keys, [key("1s"), key("1h"), key("shadow")]);
}

/// The name of a limit in a stack gives its key, so methods such as `peek` find the limit's state by the name.
#[tokio::test]
async fn the_methods_find_a_limit_by_its_name() {
    const DAILY: Limit = Limit::counter(100, Duration::from_secs(7 * 86_400));
    scoped(async {
        named("a").await.unwrap();
        let limiter = ratelimit::RateLimiter::scoped().unwrap();
        let key = Key::new("named:{kind}/7d/shadow").part("a");
        assert_eq!(limiter.peek(&DAILY, key).await.unwrap().remaining(), 99);
        assert!(limiter.reset(&DAILY, key).await.unwrap());
        assert!(!limiter.reset(&DAILY, Key::new("named:{kind}").part("a")).await.unwrap());
    })
    .await;
}
