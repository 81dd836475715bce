// A value in `by` must implement `Identity` or `Display`.

use ratelimit::{Rejection, rate_limit};

struct User {
    profile: Profile,
}

struct Profile;

#[rate_limit(by = user)]
async fn whole(user: &User) -> Result<(), Rejection> {
    let _ = &user.profile;
    Ok(())
}

#[rate_limit(by = user.profile)]
async fn part(user: &User) -> Result<(), Rejection> {
    let _ = &user.profile;
    Ok(())
}

#[rate_limit(by = (id, &user.profile))]
async fn one_of_two(id: u64, user: &User) -> Result<(), Rejection> {
    let _ = (id, &user.profile);
    Ok(())
}

#[rate_limit(by = ())]
async fn nobody() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
