//! Signatures that the matrix does not vary: lifetimes, constants of traits, and the other receivers.

use crate::harness::{Runs, passes_once, scoped, scoped_with};
use ratelimit::clock::ManualClock;
use ratelimit::{Rejection, rate_limit};
use std::pin::Pin;
use std::sync::Arc;
use support::MINUTE;

#[rate_limit]
async fn by_defaults(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
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
async fn mutable(runs: &Runs, log: &mut Vec<u32>) -> Result<(), Rejection> {
    log.push(runs.add());
    Ok(())
}

trait Mail {
    const PER_MINUTE: u32;

    #[rate_limit(key = "burst", count = Self::PER_MINUTE)]
    async fn by_constant_of_the_trait(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Service {
    runs: Arc<Runs>,
    text: String,
}

impl Mail for Service {
    const PER_MINUTE: u32 = 2;
}

impl Service {
    #[rate_limit(count = 1)]
    async fn by_mutable_value(mut self) -> Result<String, Rejection> {
        self.runs.add();
        self.text.push('!');
        Ok(self.text)
    }

    #[rate_limit(count = 1)]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    async fn lends(&self, runs: &Runs) -> Result<&str, Rejection> {
        runs.add();
        Ok(&self.text)
    }

    #[rate_limit(count = 1, by = self.runs.who())]
    async fn lends_mutably(&mut self) -> Result<&mut String, Rejection> {
        self.runs.add();
        Ok(&mut self.text)
    }
}

#[tokio::test]
async fn the_default_is_a_hundred_calls_per_minute() {
    let (runs, clock) = (&Runs::default(), ManualClock::new());
    scoped_with(&clock, async {
        for _ in 0..100 {
            by_defaults(runs).await.unwrap();
        }
        let rejection = by_defaults(runs).await.unwrap_err();
        assert_eq!(rejection.retry_after(), Some(MINUTE));
        clock.advance(MINUTE);
        by_defaults(runs).await.unwrap();
    })
    .await;
    assert_eq!(runs.count(), 101);
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

#[tokio::test]
async fn all_instances_of_a_generic_function_share_its_limit() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(const_generic(runs, [0; 2]).await.unwrap(), 4);
        assert!(const_generic(runs, [0; 3]).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn other_receivers() {
    let mut service = Service::default();
    let runs = &service.runs.clone();
    passes_once(runs, async || service.clone().by_mutable_value().await).await;
    passes_once(runs, async || Pin::new(&mut service).by_pin().await).await;
}

#[tokio::test]
async fn a_borrow_outlives_the_call() {
    let mut service = Service::default();
    let runs = service.runs.clone();
    passes_once(&runs, async || service.lends(&runs).await.map(str::len)).await;
    scoped(async {
        service.lends_mutably().await.unwrap().push('?');
        assert!(service.lends_mutably().await.is_err());
    })
    .await;
    assert_eq!(service.text, "?");
}

#[tokio::test]
async fn constants_of_the_implementation() {
    scoped(async {
        for _ in 0..Service::PER_MINUTE {
            Service::default().by_constant_of_the_trait().await.unwrap();
        }
        Service::default().by_constant_of_the_trait().await.unwrap_err();
    })
    .await;
}
