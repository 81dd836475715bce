//! Native async functions in traits: implementations and default bodies.

use crate::harness::{Runs, passes_once, scoped};
use ratelimit::{Rejection, rate_limit};

trait Mail {
    const PER_MINUTE: u32;

    fn runs(&self) -> &Runs;

    async fn send(&self, to: &str) -> Result<u32, Rejection>;

    #[rate_limit(count = 1)]
    async fn default(&self) -> Result<u32, Rejection> {
        Ok(self.runs().add())
    }

    #[rate_limit(key = "burst", count = Self::PER_MINUTE)]
    async fn by_constant_of_the_trait(&self) -> Result<u32, Rejection> {
        Ok(self.runs().add())
    }

    #[rate_limit(count = 1)]
    async fn by_value(self) -> Result<(), Rejection>
    where
        Self: Sized,
    {
        self.runs().add();
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Smtp<'r>(&'r Runs);

impl Mail for Smtp<'_> {
    const PER_MINUTE: u32 = 2;

    fn runs(&self) -> &Runs {
        self.0
    }

    #[rate_limit(count = 1, key = "mail:{to}", by = self.0.who())]
    async fn send(&self, to: &str) -> Result<u32, Rejection> {
        Ok(self.0.add() + u32::from(to.is_empty()))
    }
}

#[tokio::test]
async fn implementations_and_defaults() {
    let runs = &Runs::default();
    let smtp = Smtp(runs);
    passes_once(runs, async || smtp.send("ann").await).await;
    passes_once(runs, async || smtp.default().await).await;
    passes_once(runs, async || smtp.by_value().await).await;
}

#[tokio::test]
async fn constants_of_the_implementation() {
    let runs = &Runs::default();
    scoped(async {
        for _ in 0..Smtp::PER_MINUTE {
            Smtp(runs).by_constant_of_the_trait().await.unwrap();
        }
        Smtp(runs).by_constant_of_the_trait().await.unwrap_err();
    })
    .await;
}
