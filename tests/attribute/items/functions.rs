//! Free and associated functions, with every kind of generics.

use crate::harness::{Runs, passes_once};
use ratelimit::{Rejection, rate_limit};
use std::fmt::{Debug, Display};

#[rate_limit(count = 1)]
async fn free(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit]
async fn by_defaults(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(count = 1)]
async fn generic<T, U>(runs: &Runs, value: &T, other: U) -> Result<(T, U), Rejection>
where
    T: Debug + Clone + Send,
    U: Display,
{
    runs.add();
    Ok((value.clone(), other))
}

#[rate_limit(count = 1)]
async fn const_generic<const N: usize>(runs: &Runs, array: [u8; N]) -> Result<usize, Rejection> {
    runs.add();
    Ok(array.len() + N)
}

#[rate_limit(count = 1)]
async fn elided<'a>(_other: &str, text: &'a str, runs: &Runs) -> Result<&'a str, Rejection> {
    runs.add();
    Ok(text.trim())
}

#[rate_limit(count = 1)]
async fn late<'a, 'b: 'a>(long: &'b str, short: &'a str, runs: &Runs) -> Result<[&'a str; 2], Rejection> {
    runs.add();
    Ok([long, short])
}

#[rate_limit(count = 1)]
async fn opaque(runs: &Runs, text: impl AsRef<str>, each: impl Fn(char) -> bool) -> Result<usize, Rejection> {
    runs.add();
    Ok(text.as_ref().chars().filter(|c| each(*c)).count())
}

#[rate_limit(count = 1)]
async fn mutable(runs: &Runs, log: &mut Vec<u32>) -> Result<(), Rejection> {
    log.push(runs.add());
    Ok(())
}

struct Reports;

impl Reports {
    #[rate_limit(count = 1)]
    async fn associated(runs: &Runs) -> Result<Self, Rejection> {
        runs.add();
        Ok(Self)
    }
}

struct Typed<T, const N: u8>(T);

impl<T: Clone, const N: u8> Typed<T, N> {
    #[rate_limit(count = 1)]
    async fn of_generic_type(&self, runs: &Runs) -> Result<(T, u8), Rejection> {
        runs.add();
        Ok((self.0.clone(), N))
    }
}

#[tokio::test]
async fn free_functions() {
    let runs = &Runs::default();
    passes_once(runs, async || free(runs).await).await;
    passes_once(runs, async || Reports::associated(runs).await).await;
}

#[tokio::test]
async fn the_default_is_a_hundred_calls_per_minute() {
    let (runs, clock) = (&Runs::default(), ratelimit::ManualClock::new());
    crate::harness::scoped_with(&clock, async {
        for _ in 0..100 {
            by_defaults(runs).await.unwrap();
        }
        let rejection = by_defaults(runs).await.unwrap_err();
        assert_eq!(rejection.retry_after(), Some(support::MINUTE));
        clock.advance(support::MINUTE);
        by_defaults(runs).await.unwrap();
    })
    .await;
    assert_eq!(runs.count(), 101);
}

#[tokio::test]
async fn generics() {
    let runs = &Runs::default();
    passes_once(runs, async || generic(runs, &'a', 1.5).await).await;
    passes_once(runs, async || const_generic(runs, [1, 2, 3]).await).await;
    passes_once(runs, async || opaque(runs, "a1", char::is_numeric).await).await;
    passes_once(runs, async || Typed::<_, 7>("x").of_generic_type(runs).await).await;
}

#[tokio::test]
async fn all_instances_of_a_generic_function_share_its_limit() {
    let runs = &Runs::default();
    crate::harness::scoped(async {
        assert_eq!(const_generic(runs, [0; 2]).await.unwrap(), 4);
        assert!(const_generic(runs, [0; 3]).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn lifetimes() {
    let runs = &Runs::default();
    let text = String::from(" x ");
    passes_once(runs, async || elided("", &text, runs).await).await;
    passes_once(runs, async || late("long", &text, runs).await).await;
    let mut log = Vec::new();
    passes_once(runs, async || mutable(runs, &mut log).await).await;
    assert_eq!(log.len(), 1);
}
