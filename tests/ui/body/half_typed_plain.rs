// An unfinished body, without the attribute.

use ratelimit::Rejection;

struct User {
    name: String,
}

#[inline]
async fn binding(id: u64) -> Result<u64, Rejection> {
    let more = ;
    Ok(id)
}

#[inline]
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
