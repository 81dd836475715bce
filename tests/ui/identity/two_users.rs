// Two arguments that know a user: the attribute does not guess which one counts.

use ratelimit::{Rejection, rate_limit};

struct User {
    id: u64,
}

impl ratelimit::UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(self.id)
    }
}

#[rate_limit(by = "user")]
async fn a(one: &User, other: &User) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
