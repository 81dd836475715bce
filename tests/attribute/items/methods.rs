//! Methods and inner functions without a `key`. Each type and each enclosing function has its own limit.

use crate::harness::{keys_of, scoped};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;

/// Declares types with the same methods.
macro_rules! types {
    ($($name:ident)*) => {
        $(struct $name;

        impl $name {
            #[rate_limit(count = 1)]
            async fn send(&self) -> Result<(), Rejection> {
                Ok(())
            }

            #[rate_limit(count = 1)]
            async fn open() -> Result<(), Rejection> {
                Ok(())
            }
        }

        impl Greets for $name {})*
    };
}

types! { Mail Pager }

struct Of<T>(T);

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

async fn first() -> Result<(), Rejection> {
    #[rate_limit(count = 1)]
    async fn inner() -> Result<(), Rejection> {
        Ok(())
    }
    inner().await
}

fn second(by: u8) -> impl Future<Output = Result<(), Rejection>> {
    #[rate_limit(count = 1, time = "1s", by = by)]
    #[rate_limit(count = 1, time = "1m", by = by)]
    async fn inner(by: u8) -> Result<(), Rejection> {
        Ok(())
    }
    inner(by)
}

async fn third() -> Result<(), Rejection> {
    struct Of;
    impl Of {
        const COUNT: u32 = 1;

        // The limit depends on an associated constant, so it cannot be stored in a `static`.
        #[rate_limit(count = Self::COUNT)]
        async fn inner() -> Result<(), Rejection> {
            Ok(())
        }
    }
    Of::inner().await
}

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

#[tokio::test]
async fn functions_of_one_name_in_two_functions_or_types_have_two_limits() {
    let keys = keys_of(async {
        first().await.unwrap();
        second(1).await.unwrap();
        third().await.unwrap();
        Mail::open().await.unwrap();
        Pager::open().await.unwrap();
    })
    .await;
    let module = "attribute::items::methods::";
    assert_eq!(
        keys,
        [
            format!("{{{module}inner=first}}"),
            format!("{{1}}:{module}inner/1s=second"),
            format!("{{1}}:{module}inner/1m=second"),
            format!("{{{module}inner=third%3a%3a%7b%7bclosure%7d%7d%3a%3aOf}}"),
            format!("{{{module}open=Mail}}"),
            format!("{{{module}open=Pager}}"),
        ]
    );
}
