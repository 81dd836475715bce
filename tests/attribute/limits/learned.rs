//! `cost = learn(..)`: what is charged, and what calls that end in unusual ways cost and teach.

use crate::harness::{Failed, caught, soon};
use ratelimit::testing::TestLimiter;
use ratelimit::{Limit, Rejection, per, rate_limit};
use std::future::pending;

const BUDGET: Limit = Limit::token_bucket(100_000, per::HOUR);

/// What the body of a limited function does.
#[derive(Clone, Copy)]
enum Does {
    Use(u32),
    Fail,
    Panic,
    NeverEnd,
}

async fn work(does: Does) -> Result<u32, Failed> {
    match does {
        Does::Use(units) => Ok(units),
        Does::Fail => Err(Failed::Other),
        Does::Panic => panic!("a panic that the test wants"),
        Does::NeverEnd => pending().await,
    }
}

/// Declares a function with an estimator of its own.
macro_rules! limited {
    ($($name:ident)+) => {$(
        #[rate_limit(key = "tokens", algorithm = "token_bucket", time = "1h", count = 100_000,
            cost = learn(ceiling), settle = |used| *used.as_ref().unwrap_or(&0))]
        async fn $name(ceiling: u64, does: Does) -> Result<u32, Failed> {
            work(does).await
        }
    )+};
}

limited!(usual failing broken);

#[rate_limit(key = "tokens", algorithm = "token_bucket", time = "1h", count = 100_000,
    cost = learn(most.len(), (model, 7)), settle = |used| *used.as_ref().unwrap_or(&0))]
async fn of_class(most: &[u8], model: &str, does: Does) -> Result<u32, Failed> {
    work(does).await
}

struct Learned {
    most: u32,
}

impl Learned {
    fn learn(&self, units: u32) -> u32 {
        units.min(self.most)
    }

    /// A method and a function of the user that are called `learn` stay what they are.
    #[rate_limit(key = "tokens", algorithm = "token_bucket", time = "1h", count = 100_000, cost = self.learn(50) + self::learn(1))]
    async fn own(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

fn learn(units: u32) -> u32 {
    units
}

/// The units that a call has changed.
async fn charged<F: Future>(limiter: &TestLimiter, call: F) -> u32 {
    let before = left(limiter).await;
    limiter.scope(call).await;
    before - left(limiter).await
}

async fn left(limiter: &TestLimiter) -> u32 {
    limiter.limiter().peek(&BUDGET, "tokens").await.unwrap().remaining()
}

/// The units that a call is charged while it runs.
async fn held(limiter: &TestLimiter, call: impl Future<Output = Result<u32, Failed>>) -> u32 {
    charged(limiter, async {
        let mut call = Box::pin(call);
        assert!(soon(&mut call).await.is_none());
        // The future is not dropped, so that nothing is settled.
        std::mem::forget(call);
    })
    .await
}

#[tokio::test]
async fn the_ceiling_is_charged_first_and_the_mean_later() {
    let limiter = TestLimiter::new();
    assert_eq!(held(&limiter, usual(4000, Does::NeverEnd)).await, 4000);
    for _ in 0..32 {
        assert_eq!(charged(&limiter, usual(4000, Does::Use(300))).await, 300);
    }
    assert_eq!(held(&limiter, usual(4000, Does::NeverEnd)).await, 300);
    assert_eq!(held(&limiter, usual(u64::from(u32::MAX) + 1, Does::NeverEnd)).await, 300);
    assert_eq!(held(&limiter, usual(200, Does::NeverEnd)).await, 200);
}

#[tokio::test]
async fn a_failed_call_costs_what_settle_says_and_teaches_nothing() {
    let limiter = TestLimiter::new();
    for _ in 0..40 {
        assert_eq!(charged(&limiter, failing(1000, Does::Fail)).await, 0);
    }
    assert_eq!(held(&limiter, failing(1000, Does::NeverEnd)).await, 1000);
}

#[tokio::test]
async fn a_call_that_is_cancelled_or_panics_costs_its_ceiling() {
    let limiter = TestLimiter::new();
    for _ in 0..32 {
        limiter.scope(broken(1000, Does::Use(10))).await.unwrap();
    }
    let cancelled = async {
        let mut call = Box::pin(broken(1000, Does::NeverEnd));
        assert!(soon(&mut call).await.is_none());
    };
    assert_eq!(charged(&limiter, cancelled).await, 1000);
    let panicked = async { assert!(caught(broken(1000, Does::Panic)).await.is_none()) };
    assert_eq!(charged(&limiter, panicked).await, 1000);
    // Neither is still in flight, and neither has taught anything.
    assert_eq!(held(&limiter, broken(1000, Does::NeverEnd)).await, 10);
}

#[tokio::test]
async fn each_class_learns_by_itself() {
    let (limiter, most) = (TestLimiter::new(), [0; 500]);
    for _ in 0..32 {
        limiter.scope(of_class(&most, "large", Does::Use(40))).await.unwrap();
    }
    assert_eq!(held(&limiter, of_class(&most, "large", Does::NeverEnd)).await, 40);
    assert_eq!(held(&limiter, of_class(&most, "small", Does::NeverEnd)).await, 500);
}

#[tokio::test]
async fn other_functions_of_this_name_are_no_estimates() {
    let limiter = TestLimiter::new();
    assert_eq!(charged(&limiter, Learned { most: 9 }.own()).await, 10);
}
