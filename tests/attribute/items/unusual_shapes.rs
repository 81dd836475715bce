//! Unusual shapes of functions.

#![allow(
    clippy::diverging_sub_expression,
    clippy::redundant_allocation,
    improper_ctypes_definitions,
    reason = "these shapes are unusual on purpose"
)]

use crate::harness::{Runs, caught, keys_of, passes_once, scoped, soon};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

struct Wrapped<T>(T);

#[rate_limit(count = 1)]
async extern "C" fn of_another_abi(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(count = 1, on_limit = |_| panic!("refused"))]
async fn never(runs: &Runs) -> ! {
    runs.add();
    loop {
        tokio::task::yield_now().await;
    }
}

struct Raw {
    r#match: u8,
}

impl Raw {
    #[rate_limit(count = 1, key = "{self.r#match}:{r#type}")]
    async fn r#async(&self, r#type: u8, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add() + u32::from(self.r#match) + u32::from(r#type))
    }

    #[rate_limit(count = 1, key = "{self.r#match}")]
    async fn by_rc(self: Rc<Self>, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }

    #[rate_limit(count = 1)]
    fn future_by_pin<'a>(
        self: Pin<&'a mut Self>,
        runs: &'a Runs,
    ) -> impl Future<Output = Result<u32, Rejection>> + 'a {
        async move {
            self.get_mut().r#match += 1;
            Ok(runs.add())
        }
    }

    #[rate_limit(count = 1, key = "{self.r#match}")]
    async fn by_nested(self: &Arc<Box<Self>>, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

#[rate_limit(count = 1, key = "{array.len()}")]
async fn array<const N: usize>(array: [u8; N], runs: &Runs) -> Result<[u8; 1 + 1], Rejection>
where
    Wrapped<[u8; N]>: Sized,
{
    runs.add();
    Ok([array[0], 0])
}

#[rate_limit(count = 1)]
async fn higher_ranked<F>(each: F, runs: &Runs) -> Result<u32, Rejection>
where
    for<'a> F: Fn(&'a Runs) -> u32,
{
    Ok(each(runs))
}

#[rate_limit(count = 1)]
async fn opaque_arguments(
    each: impl AsyncFn(&Runs) -> u32,
    runs: &(impl AsRef<str> + ?Sized),
    r: &Runs,
) -> Result<u32, Rejection> {
    let _ = runs.as_ref();
    Ok(each(r).await)
}

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

struct OfMacro;

whole! {
    impl OfMacro {
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
    #[rate_limit(count = 1, by = id)]
    pub(crate) async fn forwarded_function(id: u32, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add() + id)
    }
}

forwarded! {
    #[rate_limit(count = 1)]
    async fn forwarded_opaque(runs: &Runs) -> impl std::fmt::Display {
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
        impl Wrapped<&Runs> {
            $(async fn $name(&self, $id: u32) -> Result<u32, Rejection> { Ok(self.0.add() + $id + $body) })*
        }
    };
}

methods!("methods:{id}", id, one => 1, two => 2);

#[tokio::test]
async fn unusual_returns() {
    let runs = &Runs::default();
    scoped(async {
        let mut running = Box::pin(never(runs));
        assert!(soon(&mut running).await.is_none());
        assert!(caught(never(runs)).await.is_none());
    })
    .await;
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn unusual_methods() {
    let (runs, mut raw) = (&Runs::default(), Raw { r#match: 1 });
    passes_once(runs, async || raw.r#async(2, runs).await).await;
    passes_once(runs, async || Pin::new(&mut raw).future_by_pin(runs).await).await;
    assert_eq!(raw.r#match, 2);
    let (counted, shared) = (Rc::new(Raw { r#match: 1 }), Arc::new(Box::new(raw)));
    passes_once(runs, async || Rc::clone(&counted).by_rc(runs).await).await;
    passes_once(runs, async || shared.by_nested(runs).await).await;
    let keys = keys_of(shared.r#async(7, runs)).await;
    assert_eq!(keys, ["{<self.r%23match>:<r%23type>=2=7}"]);
}

#[tokio::test]
async fn unusual_generics() {
    let runs = &Runs::default();
    passes_once(runs, async || array([1, 2, 3], runs).await).await;
    passes_once(runs, async || higher_ranked(Runs::add, runs).await).await;
    passes_once(runs, async || opaque_arguments(async |runs: &Runs| runs.add(), "", runs).await).await;
    passes_once(runs, async || of_another_abi(runs).await).await;
}

#[tokio::test]
async fn of_macros() {
    let runs: &'static Runs = Box::leak(Box::default());
    passes_once(runs, async || whole_item(runs).await).await;
    passes_once(runs, async || OfMacro.method(runs).await).await;
    passes_once(runs, async || forwarded_function(1, runs).await).await;
    passes_once(runs, async || forwarded_opaque(runs).await.map(|shown| shown.to_string())).await;
    passes_once(runs, async || forwarded_future(1, runs).await).await;
    passes_once(runs, async || forwarded_boxed(1, runs).await).await;
    passes_once(runs, async || Wrapped(runs).one(1).await).await;
    let wrapped = Wrapped(runs);
    scoped(async {
        wrapped.one(1).await.unwrap();
        wrapped.two(1).await.unwrap_err();
        wrapped.two(2).await.unwrap();
    })
    .await;
}
