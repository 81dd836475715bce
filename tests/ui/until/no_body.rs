// A return type without a body that ends later.

use axum::Json;
use axum::response::Response;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn text() -> Result<String, Rejection> {
    Ok(String::new())
}

#[rate_limit(settle = |sent| sent.blocks(1), until = "body_end", by = "global")]
async fn json() -> Result<Json<u32>, Rejection> {
    Ok(Json(5))
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn opaque() -> impl std::fmt::Display {
    5
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end", on_limit = drop)]
async fn nothing() {}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn no_response(text: &mut String) -> Result<(), Rejection> {
    text.clear();
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn other_body() -> Result<Response<String>, Rejection> {
    Ok(Response::new(String::new()))
}

fn main() {}
