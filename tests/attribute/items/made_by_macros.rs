//! Functions with the attribute that a `macro_rules!` writes.

use crate::harness::{Runs, keys_of, passes_once};
use ratelimit::{Rejection, rate_limit};

/// The runtime under another path, as a crate that re-exports it would offer it.
mod renamed {
    pub(super) mod limits {
        pub(crate) use ratelimit::*;
    }
}

macro_rules! limited {
    ($visibility:vis fn $name:ident($argument:ident: $type:ty) { $key:literal, $count:expr, by $by:expr } $body:block) => {
        #[rate_limit(key = $key, count = $count, by = $by)]
        $visibility async fn $name($argument: $type, runs: &Runs) -> Result<$type, Rejection> {
            runs.add();
            $body
        }
    };
}

limited!(pub(crate) fn report(id: u64) { "report:{id}", 1, by id + 1 } { let doubled = 2 * id; Ok(doubled / 2) });
limited!(fn plain(name: String) { "plain", (1), by &name } { drop(name.clone()); Ok(name) });

macro_rules! with_body {
    ($name:ident, $body:block) => {
        #[rate_limit(count = 1)]
        async fn $name() -> Result<u32, Rejection> $body
    };
}

with_body!(block, { Ok(5) });

macro_rules! hygienic {
    ($name:ident) => {
        #[rate_limit(key = "{value}", count = 1, by = value)]
        async fn $name(value: u32, runs: &Runs) -> Result<u32, Rejection> {
            let call = value;
            Ok(call + runs.add())
        }
    };
}

hygienic!(inner_names);

#[rate_limit(key = "renamed", count = 1, crate = crate::items::made_by_macros::renamed::limits)]
async fn renamed_runtime(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(key = "renamed", count = runs.count() + 1, by = 1 + 1, cost = 1, crate = self::renamed::limits)]
async fn renamed_runtime_at_the_call(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[tokio::test]
async fn made_functions_are_limited() {
    let runs = &Runs::default();
    passes_once(runs, async || report(1, runs).await).await;
    passes_once(runs, async || plain("a".to_owned(), runs).await).await;
    passes_once(runs, async || inner_names(1, runs).await).await;
    let keys = keys_of(async {
        report(7, runs).await.unwrap();
        plain("a".to_owned(), runs).await.unwrap();
        inner_names(7, runs).await.unwrap();
        block().await.unwrap();
        block().await.unwrap_err();
    })
    .await;
    let block = "{attribute::items::made_by_macros::block}";
    assert_eq!(keys, ["{8}:report:<id>=7", "{a}:plain", "{7}:<value>=7", block, block]);
}

#[tokio::test]
async fn the_runtime_may_have_another_path() {
    let runs = &Runs::default();
    passes_once(runs, async || renamed_runtime(runs).await).await;
    crate::harness::scoped(async { renamed_runtime_at_the_call(runs).await.unwrap() }).await;
}
