// Words that are not an end of a limit, and other names of the argument.

use axum::response::Response;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "concurrency", until = "body-end")]
async fn misspelt(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", until = "stream_end")]
async fn foreign(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", until = "handler-end")]
async fn foreign_return(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", until = "the client is happy")]
async fn unknown(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", until = body_end)]
async fn without_quotes(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", until = true)]
async fn not_a_word(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", stream = true)]
async fn other_argument(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(algorithm = "concurrency", hold_until = "body_end")]
async fn other_name(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

fn main() {}
