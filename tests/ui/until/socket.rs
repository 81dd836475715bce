// The response to a WebSocket upgrade has no body.

use axum::response::Response;
use ratelimit::{Rejection, rate_limit};

struct WebSocketUpgrade(Response);

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn socket(upgrade: WebSocketUpgrade) -> Result<Response, Rejection> {
    Ok(upgrade.0)
}

fn main() {}
