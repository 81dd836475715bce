// An unfinished body: only what is missing is reported, and callers still compile.

use ratelimit::{Rejection, rate_limit};

struct User {
    name: String,
}

#[rate_limit(count = 5, by = id)]
async fn binding(id: u64) -> Result<u64, Rejection> {
    let more = ;
    Ok(id)
}

#[rate_limit(count = 5, by = id)]
async fn field(id: u64, user: User) -> Result<String, Rejection> {
    let _ = id;
    Ok(user.name.)
}

async fn caller(user: User) -> Result<String, Rejection> {
    binding(1).await?;
    field(1, user).await
}

fn main() {
    let _ = caller(User {
        name: String::new(),
    });
}
