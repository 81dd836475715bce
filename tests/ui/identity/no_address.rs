// `by = "ip"` needs an argument with the address of the client.

use axum::Json;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "ip")]
async fn nothing() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 60, by = ("ip", id))]
async fn others(id: u64, Json(body): Json<String>) -> Result<(), Rejection> {
    let _ = (id, body);
    Ok(())
}

fn main() {}
