// Functions of `settle` that cannot run when the body ends.

use axum::response::Response;
use ratelimit::{Rejection, rate_limit};
use std::rc::Rc;

#[rate_limit(settle = |result: &Result<Response, Rejection>| 5, until = "body_end", by = "global")]
async fn of_the_result(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(settle = |sent| sent.bytes(), until = "body_end", by = "global")]
async fn not_a_cost(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

#[rate_limit(settle = move |sent| *price * sent.blocks(1), until = "body_end", by = "global")]
async fn not_send(price: Rc<u32>) -> Result<Response, Rejection> {
    Ok(Response::default())
}

#[rate_limit(settle = |sent| price * sent.blocks(1), until = "body_end", by = "global")]
async fn borrows(price: u32) -> Result<Response, Rejection> {
    Ok(Response::default())
}

#[rate_limit(settle = move |sent| *price * sent.blocks(1), until = "body_end", by = "global")]
async fn of_a_reference(price: &u32) -> Result<Response, Rejection> {
    Ok(Response::default())
}

#[rate_limit(settle = |sent: ratelimit::Sent| sent.blocks(1), by = "global")]
async fn without_until(body: Response) -> Result<Response, Rejection> {
    Ok(body)
}

fn main() {}
