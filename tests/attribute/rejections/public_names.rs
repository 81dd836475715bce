//! The names that clients see: the text of the `key`, or the path of the function without its modules.

use crate::harness::{limited, scoped};
use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;

limited! {
    #[rate_limit(count = 1)] without_a_key();
    #[rate_limit(time = "1s", count = 1)]
    #[rate_limit(time = "1d", count = 100)]
    two_limits();
    #[rate_limit(key = "api::v1::search", count = 1)] with_colons();
    #[rate_limit(key = "api::list", limit = Limit::counter(1, Duration::from_secs(1)))]
    with_colons_and_a_limit();
    #[rate_limit(key = "api::all", time = "1s", count = 1)]
    #[rate_limit(key = "api::all", time = "1d", count = 100)]
    with_colons_and_two_limits();
}

#[rate_limit(key = "report:{kind}", count = 1)]
async fn with_a_key(kind: &str) -> Result<usize, Rejection> {
    Ok(kind.len())
}

#[rate_limit(key = "api::generic", count = N)]
async fn with_colons_and_a_generic<const N: u32>() -> Result<(), Rejection> {
    Ok(())
}

struct Service;

#[rate_limit(count = 1)]
impl Service {
    async fn r#try(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

async fn refused<T, E>(mut call: impl AsyncFnMut() -> Result<T, E>) -> E {
    assert!(call().await.is_ok(), "the first call passes");
    call().await.err().expect("the second call is refused")
}

#[tokio::test]
async fn clients_do_not_see_the_modules_of_a_function() {
    scoped(async {
        let rejection = refused(without_a_key).await;
        assert_eq!(rejection.name(), "attribute::rejections::public_names::without_a_key");
        assert_eq!(rejection.public_name(), "without_a_key");
        assert_eq!(refused(two_limits).await.public_name(), "two_limits/1s");
        assert_eq!(refused(async || Service.r#try().await).await.public_name(), "try");
    })
    .await;
}

#[tokio::test]
async fn clients_see_all_of_a_key_but_no_value_of_its_placeholders() {
    scoped(async {
        assert_eq!(refused(async || with_a_key("secret").await).await.public_name(), "report:{kind}");
        assert_eq!(refused(with_colons).await.public_name(), "api::v1::search");
        assert_eq!(refused(with_colons_and_a_limit).await.public_name(), "api::list");
        assert_eq!(refused(with_colons_and_two_limits).await.public_name(), "api::all/1s");
        assert_eq!(refused(with_colons_and_a_generic::<1>).await.public_name(), "api::generic");
    })
    .await;
    let limiter = RateLimiter::in_memory();
    let limit = Limit::counter(1, Duration::from_secs(60));
    let check = async || limiter.check(&limit, Key::new("shop::jobs").by("ann")).await;
    assert_eq!(refused(check).await.public_name(), "shop::jobs");
}

/// A name that is passed to a method may contain text from a client.
#[tokio::test]
async fn a_name_with_the_text_of_a_client_is_shown_without_control_characters() {
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(1, Duration::from_secs(60)));
    let name = format!("login:\u{1b}[2J\n{}", "x".repeat(100_000));
    limiter.check(&limit, &*name).await.unwrap();
    let shown = format!("{:?}", limiter.check(&limit, &*name).await.unwrap_err());
    assert!(shown.contains("(limit `login:\\u{1b}[2J\\nxxx") && !shown.contains(char::is_control), "{shown}");
    assert!(shown.len() < 400, "{} bytes", shown.len());
}
