// A limit that takes its units once, and verdicts about the result.

use axum::response::Response;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, until = "body_end")]
async fn counted(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(count = 5, refund_if = Result::is_err, until = "body_end")]
async fn refunded(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(count = 5, until = "body_end", charge_if = Result::is_ok)]
async fn charged(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

fn main() {}
