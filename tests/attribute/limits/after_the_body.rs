//! `refund_if` and `settle`: the result of the body changes the charge.

use crate::harness::{Failed, Runs, caught, scoped, soon};
use async_trait::async_trait;
use ratelimit::{Rejection, rate_limit};
use std::fmt::Display;

#[rate_limit(key = "login", count = 2, by = name, refund_if = |session| !matches!(session, Err(Failed::Other)))]
async fn login(name: &str, password: &str) -> Result<usize, Failed> {
    tokio::task::yield_now().await;
    assert_ne!(password, "panic", "a panic that the test wants");
    if password != "right" {
        return Err(Failed::Other);
    }
    Ok(name.len())
}

#[rate_limit(key = "parse", count = 1, refund_if = Result::is_err)]
async fn parse(text: &str) -> Result<u32, Failed> {
    if text.is_empty() {
        return Err(Failed::Other);
    }
    let number: u32 = text.parse()?;
    Ok(number)
}

#[rate_limit(key = "pages", count = 10, cost = 4, settle = |rows| rows.as_ref().map_or(0, |rows| *rows))]
async fn pages(rows: u32) -> Result<u32, Rejection> {
    Ok(rows)
}

fn is_empty(text: &impl Display) -> bool {
    text.to_string().is_empty()
}

#[rate_limit(count = 1, refund_if = is_empty)]
async fn opaque(text: &str) -> impl Display + use<> {
    text.to_owned()
}

#[rate_limit(count = 1, on_limit = drop, refund_if = |()| runs.count() < 2)]
async fn unit(runs: &Runs) {
    runs.add();
}

#[rate_limit(count = 1, refund_if = |entry| entry.as_ref().is_ok_and(|entry| entry.is_empty()))]
async fn lends<'a>(entry: &'a mut (u32, String), text: &str) -> Result<&'a mut String, Rejection> {
    entry.0 += 1;
    entry.1.push_str(text);
    Ok(&mut entry.1)
}

#[rate_limit(count = 1, refund_if = |text| text.as_ref().is_ok_and(|text| text.is_empty()))]
async fn elided(text: &str) -> Result<&str, Rejection> {
    Ok(text.trim())
}

#[rate_limit(count = 1, refund_if = |found| found.as_ref().is_ok_and(|found| found.len() == 0))]
async fn opaque_in_a_result(until: u32) -> Result<impl ExactSizeIterator + use<>, Rejection> {
    Ok(vec![7; until as usize].into_iter())
}

#[rate_limit(count = 1, on_limit = |_| format!("{text} is refused"), refund_if = String::is_empty)]
async fn moves<T: Display>(text: T) -> String {
    text.to_string()
}

type Shown = Box<dyn Fn() -> String + Send>;

#[rate_limit(count = 1, refund_if = |shown| shown.as_ref().is_ok_and(|shown| shown().is_empty()))]
async fn coerced(text: String, early: bool) -> Result<Shown, Rejection> {
    if early {
        return Ok(Box::new(move || text.clone()));
    }
    Ok(Box::new(String::new))
}

struct Service {
    strict: bool,
}

#[async_trait]
trait Work {
    async fn work(&self, done: bool) -> Result<bool, Rejection>;
}

#[async_trait]
impl Work for Service {
    #[rate_limit(key = "work", count = 1, refund_if = |done| !self.strict && !done.as_ref().unwrap_or(&true))]
    async fn work(&self, done: bool) -> Result<bool, Rejection> {
        tokio::task::yield_now().await;
        Ok(done)
    }
}

impl Service {
    #[rate_limit(count = 1, refund_if = |_| !self.strict)]
    async fn own(&self, mut text: String) -> Result<String, Rejection> {
        text.push('!');
        Ok(text)
    }
}

#[tokio::test]
async fn only_results_that_count_are_charged() {
    scoped(async {
        for _ in 0..5 {
            assert!(matches!(login("ann", "right").await, Ok(3)));
        }
        assert!(matches!(login("ann", "wrong").await, Err(Failed::Other)));
        assert!(login("ann", "right").await.is_ok());
        assert!(matches!(login("ann", "wrong").await, Err(Failed::Other)));
        assert!(matches!(login("ann", "right").await, Err(Failed::Rejected)), "used up");
        assert!(login("bob", "right").await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn a_call_that_never_ends_is_charged() {
    scoped(async {
        assert!(caught(login("ann", "panic")).await.is_none());
        let mut cancelled = Box::pin(login("ann", "right"));
        assert!(soon(&mut cancelled).await.is_none());
        drop(cancelled);
        assert!(matches!(login("ann", "right").await, Err(Failed::Rejected)));
    })
    .await;
}

#[tokio::test]
async fn refunded_units_can_be_taken_again() {
    scoped(async {
        assert!(matches!(parse("").await, Err(Failed::Other)));
        assert!(matches!(parse("x").await, Err(Failed::Parsing)));
        assert!(matches!(parse("5").await, Ok(5)));
        assert!(matches!(parse("").await, Err(Failed::Rejected)));
    })
    .await;
}

#[tokio::test]
async fn the_settled_cost_counts() {
    scoped(async {
        pages(1).await.unwrap();
        pages(5).await.unwrap();
        pages(2).await.unwrap();
        assert!(pages(0).await.is_err(), "8 are taken, and 4 are more than the rest");
    })
    .await;
    scoped(async {
        pages(12).await.unwrap();
        assert!(pages(0).await.is_err(), "more than the limit holds");
    })
    .await;
}

#[tokio::test]
async fn all_kinds_of_results() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(opaque("").await.unwrap().to_string(), "");
        assert_eq!(opaque("x").await.unwrap().to_string(), "x");
        assert!(opaque("").await.is_err());
        for expected in [1, 2, 2] {
            unit(runs).await;
            assert_eq!(runs.count(), expected);
        }
        let mut entry = (0, String::new());
        assert_eq!(lends(&mut entry, "").await.unwrap(), "");
        lends(&mut entry, "x").await.unwrap().push('y');
        assert!(lends(&mut entry, "z").await.is_err());
        assert_eq!(entry, (2, "xy".to_owned()));
        assert_eq!(coerced("x".to_owned(), false).await.unwrap()(), "");
        assert_eq!(coerced("x".to_owned(), true).await.unwrap()(), "x");
        assert!(coerced(String::new(), true).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn all_kinds_of_signatures() {
    scoped(async {
        for (text, passes) in [(" ", true), (" a ", true), ("", false)] {
            assert_eq!(elided(text).await.is_ok(), passes);
            let found = opaque_in_a_result(u32::from(text == " a ")).await;
            assert_eq!(found.is_ok(), passes);
            let moved = moves(text.trim()).await;
            assert_eq!(moved, if passes { text.trim() } else { " is refused" });
        }
    })
    .await;
}

#[tokio::test]
async fn closures_can_use_self() {
    let (lenient, strict) = (Service { strict: false }, Service { strict: true });
    scoped(async {
        assert!(!lenient.work(false).await.unwrap());
        assert!(!strict.work(false).await.unwrap());
        assert!(strict.work(false).await.is_err());
        assert_eq!(lenient.own("a".to_owned()).await.unwrap(), "a!");
        assert_eq!(strict.own("b".to_owned()).await.unwrap(), "b!");
        assert!(lenient.own(String::new()).await.is_err());
    })
    .await;
}
