// The compiler warns about a limit that ends before the stream for which it was taken.

#![deny(unused_must_use)]

use axum::response::Response;
use axum::response::sse::Sse;
use futures_util::Stream;
use ratelimit::{Rejection, rate_limit};

struct WebSocketUpgrade(Response);

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn events<S: Stream>(stream: Sse<S>) -> Result<Sse<impl Stream>, Rejection> {
    Ok(stream)
}

#[rate_limit(settle = |_| 5)]
async fn settled<S: Stream>(stream: Sse<S>) -> Result<(u32, Sse<S>), Rejection> {
    Ok((5, stream))
}

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn socket(upgrade: WebSocketUpgrade) -> Result<Response, Rejection> {
    Ok(upgrade.0)
}

// These are as they should be.

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn held<S: Stream>(stream: Sse<S>) -> Result<Sse<impl Stream>, Rejection> {
    Ok(stream)
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "return")]
async fn intended<S: Stream>(stream: Sse<S>) -> Result<Sse<S>, Rejection> {
    Ok(stream)
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "return")]
async fn upgraded(upgrade: WebSocketUpgrade) -> Result<Response, Rejection> {
    Ok(upgrade.0)
}

#[rate_limit(count = 5, by = "global")]
async fn counted<S: Stream>(stream: Sse<S>) -> Result<Sse<S>, Rejection> {
    Ok(stream)
}

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn plain(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

fn main() {}
