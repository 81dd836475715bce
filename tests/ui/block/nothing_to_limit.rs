// A block must have a method that the attribute limits.

use ratelimit::{Rejection, rate_limit};

struct Service;

#[rate_limit(count = 5)]
impl Service {}

#[rate_limit(count = 5)]
impl Service {
    const RATE: u32 = 5;

    fn plain(&self) -> u32 {
        Self::RATE
    }
}

#[rate_limit(count = 5)]
impl Service {
    #[rate_limit(skip)]
    async fn exempt(&self) {}

    #[rate_limit(count = 6)]
    async fn of_its_own(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

fn main() {
    let _ = (Service.plain(), Service.exempt(), Service.of_its_own());
}
