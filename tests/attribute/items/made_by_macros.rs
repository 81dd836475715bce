//! Limited functions that a `macro_rules!` macro writes or forwards.

use crate::harness::{Runs, keys_of, passes_once, scoped};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::pin::Pin;

/// Offers the runtime under another path, like a crate that re-exports it.
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

macro_rules! whole {
    ($item:item) => {
        #[rate_limit(count = 1)]
        $item
    };
}

whole! {
    async fn whole_item(runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

struct OfMacro<T>(T);

whole! {
    impl OfMacro<u8> {
        async fn method(&self, runs: &Runs) -> Result<u32, Rejection> {
            Ok(runs.add())
        }
    }
}

macro_rules! forwarded {
    ($(#[$attribute:meta])* $visibility:vis async fn $name:ident($($argument:ident: $type:ty),*) -> $returned:ty $body:block) => {
        $(#[$attribute])*
        $visibility async fn $name($($argument: $type),*) -> $returned $body
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) -> $returned:ty $body:block) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $type),*) -> $returned $body
    };
}

forwarded! {
    #[rate_limit(count = 1)]
    pub(crate) async fn forwarded_opaque(runs: &Runs) -> impl std::fmt::Display {
        runs.add()
    }
}

forwarded! {
    #[rate_limit(count = 1, by = id)]
    fn forwarded_future(id: u32, runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
        let doubled = 2 * id;
        async move { Ok(runs.add() + doubled) }
    }
}

forwarded! {
    #[rate_limit(count = 1, by = id)]
    fn forwarded_boxed(id: u32, runs: &'static Runs) -> Pin<Box<dyn Future<Output = Result<u32, Rejection>>>> {
        Box::pin(async move { Ok(runs.add() + id) })
    }
}

macro_rules! methods {
    ($key:literal, $id:ident, $($name:ident => $body:expr),*) => {
        #[rate_limit(key = $key, count = 1)]
        impl OfMacro<&Runs> {
            $(async fn $name(&self, $id: u32) -> Result<u32, Rejection> { Ok(self.0.add() + $id + $body) })*
        }
    };
}

methods!("methods:{id}", id, one => 1, two => 2);

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
    passes_once(runs, async || inner_names(1, runs).await).await;
    let keys = keys_of(async {
        report(7, runs).await.unwrap();
        inner_names(7, runs).await.unwrap();
        block().await.unwrap();
        block().await.unwrap_err();
    })
    .await;
    let block = "{attribute::items::made_by_macros::block}";
    assert_eq!(keys, ["{8}:report:<id>=7", "{7}:<value>=7", block, block]);
}

#[tokio::test]
async fn forwarded_items_are_limited() {
    let runs: &'static Runs = Box::leak(Box::default());
    passes_once(runs, async || whole_item(runs).await).await;
    passes_once(runs, async || OfMacro(1_u8).method(runs).await).await;
    passes_once(runs, async || forwarded_opaque(runs).await.map(|shown| shown.to_string())).await;
    passes_once(runs, async || forwarded_future(1, runs).await).await;
    passes_once(runs, async || forwarded_boxed(1, runs).await).await;
    let methods = OfMacro(runs);
    scoped(async {
        methods.one(1).await.unwrap();
        methods.two(1).await.unwrap_err();
        methods.two(2).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_runtime_may_have_another_path() {
    let runs = &Runs::default();
    passes_once(runs, async || renamed_runtime(runs).await).await;
    scoped(async { renamed_runtime_at_the_call(runs).await.unwrap() }).await;
}
