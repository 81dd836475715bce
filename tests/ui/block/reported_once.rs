// A mistake in the attribute is reported once, not for each method.

use ratelimit::{Rejection, rate_limit};

struct Service;

#[rate_limit(count = 0, tiem = 60, by = "ap")]
#[rate_limit(key = "", cost = 0)]
impl Service {
    async fn first(&self) -> Result<(), Rejection> {
        Ok(())
    }

    async fn second(&self) -> Result<(), Rejection> {
        Ok(())
    }

    #[rate_limit(skip)]
    async fn third(&self) {}
}

fn main() {
    let _ = (Service.first(), Service.second(), Service.third());
}
