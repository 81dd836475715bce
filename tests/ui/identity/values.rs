// Values that cannot be part of a key.

use ratelimit::{Key, Rejection, rate_limit};

// A value in `by` must implement `Identity` or `Display`.

struct User {
    id: u64,
    profile: Profile,
}

struct Profile;

#[rate_limit(by = user)]
async fn whole(user: &User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = user.profile)]
async fn part(user: &User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = (id, &user.profile))]
async fn one_of_two(id: u64, user: &User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = ())]
async fn nobody() -> Result<(), Rejection> { Ok(()) }

// The compiler's message for an expression in `by` has its caret under the expression.
#[rate_limit(by = user.id)]
async fn report(id: u64) -> Result<(), Rejection> { Ok(()) }

// Each expression in `by` has its own errors.
#[rate_limit(key = "{id.missing}", by = (id.nope, nothing), cost = Some(1), limiter = my_limiter, time = "1m", count = id)]
async fn a(id: u64) -> Result<(), Rejection> { Ok(()) }

// The compiler's message for a missing field or method has its caret under the key.
#[rate_limit(key = "report:{user.identifier}")]
async fn field(user: &User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{user.key()}")]
async fn method(user: &User) -> Result<(), Rejection> { Ok(()) }

// A value in a placeholder must implement `Identity` or `Display`.
#[rate_limit(key = "report:{user}")]
async fn b(user: &User) -> Result<(), Rejection> { Ok(()) }

fn main() {
    let _ = Key::new("report").by(Profile);
}
