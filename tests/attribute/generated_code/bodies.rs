//! Function bodies that the generated code around them could easily break.

use crate::harness::{Failed, Runs, passes_once, scoped};
use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 1)]
async fn items_and_labels(runs: &Runs) -> Result<u32, Rejection> {
    #![allow(unused_variables)]
    const STEP: u32 = 2;
    fn twice(n: u32) -> u32 {
        n * STEP
    }
    use std::cmp::max;
    let unused = 1;
    let found = 'outer: loop {
        for n in 1.. {
            if n % 7 == 0 {
                break 'outer n;
            }
        }
    };
    Ok(max(twice(runs.add()), found))
}

#[rate_limit(count = 4)]
async fn question_mark(runs: &Runs, text: &str) -> Result<u32, Failed> {
    let number: u32 = text.parse()?;
    if number == 0 {
        return Ok(0);
    }
    Ok(number + runs.add())
}

type Shown = Box<dyn Fn() -> String>;

#[rate_limit(count = 1)]
async fn coerced(runs: &Runs) -> Result<Shown, Rejection> {
    let run = runs.add();
    Ok(Box::new(move || run.to_string()))
}

#[rate_limit(count = 1)]
async fn coerced_slice(runs: &Runs) -> Result<&'static [u32], Rejection> {
    runs.add();
    Ok(&[1, 2, 3])
}

#[rate_limit(count = 1)]
async fn never_ends_normally(runs: &Runs) -> Result<u32, Rejection> {
    runs.add();
    loop {
        tokio::task::yield_now().await;
        if runs.count() > 0 {
            return Ok(7);
        }
    }
}

#[rate_limit(count = 3, on_limit = |_| 0)]
async fn recursive(runs: &Runs, depth: u32) -> u32 {
    runs.add();
    depth + Box::pin(recursive(runs, depth + 1)).await
}

#[tokio::test]
async fn attributes_and_items_keep_their_place() {
    let runs = &Runs::default();
    passes_once(runs, async || items_and_labels(runs).await).await;
}

#[tokio::test]
async fn early_returns_leave_the_function() {
    let runs = &Runs::default();
    passes_once(runs, async || never_ends_normally(runs).await).await;
    scoped(async {
        assert!(matches!(question_mark(runs, "x").await, Err(Failed::Parsing)));
        assert!(matches!(question_mark(runs, "0").await, Ok(0)));
        assert!(matches!(question_mark(runs, "5").await, Ok(7)));
        assert!(question_mark(runs, "5").await.is_ok());
        assert!(matches!(question_mark(runs, "5").await, Err(Failed::Rejected)));
    })
    .await;
    assert_eq!(runs.count(), 3);
}

#[tokio::test]
async fn tail_values_are_coerced() {
    let runs = &Runs::default();
    passes_once(runs, async || coerced(runs).await.map(|shown| shown())).await;
    passes_once(runs, async || coerced_slice(runs).await).await;
}

#[tokio::test]
async fn each_level_of_a_recursion_is_limited() {
    let runs = &Runs::default();
    assert_eq!(scoped(recursive(runs, 1)).await, 1 + 2 + 3);
    assert_eq!(runs.count(), 3);
}
