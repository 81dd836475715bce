//! Methods without a `key`: each type has its own limit.

use crate::harness::{keys_of, scoped};
use ratelimit::{Rejection, rate_limit};

struct Mail;
struct Pager;
struct Of<T>(T);

impl Mail {
    #[rate_limit(count = 1)]
    async fn send(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

impl Pager {
    #[rate_limit(count = 1)]
    async fn send(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

impl<T> Of<T> {
    #[rate_limit(count = 1)]
    async fn get(&self) -> Result<&T, Rejection> {
        Ok(&self.0)
    }
}

#[async_trait::async_trait]
trait Greets {
    #[rate_limit(count = 1)]
    async fn greet(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

impl Greets for Mail {}
impl Greets for Pager {}

#[tokio::test]
async fn methods_with_the_same_name_on_two_types_have_two_limits() {
    scoped(async {
        Mail.send().await.unwrap();
        Mail.send().await.unwrap_err();
        Pager.send().await.unwrap();
        Of(1).get().await.unwrap();
        Of("1").get().await.unwrap();
        Of(2).get().await.unwrap_err();
        Mail.greet().await.unwrap();
        Pager.greet().await.unwrap();
        Pager.greet().await.unwrap_err();
    })
    .await;
}

#[tokio::test]
async fn the_type_is_part_of_the_key_and_not_of_the_name() {
    let keys = keys_of(async { Mail.send().await.unwrap() }).await;
    assert_eq!(keys, ["{attribute::items::methods::send=attribute%3a%3aitems%3a%3amethods%3a%3aMail}"]);
    scoped(async {
        Mail.send().await.unwrap();
        assert_eq!(Mail.send().await.unwrap_err().name(), "attribute::items::methods::send");
    })
    .await;
}
