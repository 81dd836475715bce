//! Limits from a configuration file, one for each plan. Some customers have a plan that is not in the file.

use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use serde::Deserialize;
use std::collections::HashMap;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/plans.toml");

#[derive(Deserialize)]
struct Limits {
    other: Limit,
    plans: HashMap<String, Limit>,
}

impl Limits {
    /// Returns the limit of a plan. A plan may be newer than the file, or misspelled in the database. Its calls then get the
    /// limit for all other plans. A lookup that panics, such as `self.plans[plan]`, would fail all these calls.
    fn of(&self, plan: &str) -> Limit {
        self.plans.get(plan).copied().unwrap_or(self.other)
    }
}

#[rate_limit(key = "api", limit = limits.of(plan), by = customer)]
async fn call(limits: &Limits, customer: &str, plan: &str) -> Result<(), Rejection> {
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // An invalid limit ends the program here, before any call.
    let limits: Limits = toml::from_str(&std::fs::read_to_string(FILE)?)?;
    ratelimit::install(RateLimiter::in_memory())?;
    for (customer, plan) in [("ann", "free"), ("bob", "team"), ("eve", "gold")] {
        let mut admitted = 0;
        for _ in 0..10 {
            admitted += u32::from(call(&limits, customer, plan).await.is_ok());
        }
        println!("{customer} has the plan {plan}: {admitted} of 10 calls admitted ({})", limits.of(plan));
    }
    Ok(())
}
