// A method without a body cannot be limited.

use ratelimit::{Rejection, rate_limit};

trait Mail {
    #[rate_limit(count = 5)]
    async fn send(&self) -> Result<(), Rejection>;
}

struct Smtp;

impl Mail for Smtp {
    async fn send(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

fn main() {
    let _ = Smtp.send();
}
