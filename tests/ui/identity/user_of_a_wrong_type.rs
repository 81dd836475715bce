// The `Id` of a user must be an identity.

use ratelimit::{Rejection, rate_limit};

struct Id;

struct User;

impl ratelimit::UserId for User {
    type Id = Id;

    fn user_id(&self) -> Option<Id> {
        Some(Id)
    }
}

#[rate_limit(by = "user")]
async fn a(user: User) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
