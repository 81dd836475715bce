// `until = "body_end"` of a function or a judge that does not fit it.

use axum::Json;
use axum::response::Response;
use ratelimit::{Rejection, rate_limit};
use std::rc::Rc;

// A return type without a body that ends later.
#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn text() -> Result<String, Rejection> { Ok(String::new()) }
#[rate_limit(settle = |sent| sent.blocks(1), until = "body_end", by = "global")]
async fn json() -> Result<Json<u32>, Rejection> { Ok(Json(5)) }
#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn opaque() -> impl std::fmt::Display { 5 }
#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end", on_limit = drop)]
async fn nothing() {}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn no_response(text: &mut String) -> Result<(), Rejection> {
    text.clear();
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn other_body() -> Result<Response<String>, Rejection> { Ok(Response::new(String::new())) }

// A declared stream without a place for a permit.
trait Streams {
    type ListStream;
    async fn list(&self) -> Result<Response<Self::ListStream>, Rejection>;
}
impl Streams for u8 {
    type ListStream = futures_util::stream::Empty<u32>;
    #[rate_limit(algorithm = "concurrency", count = 5, until = "body_end", by = "global")]
    async fn list(&self) -> Result<Response<Self::ListStream>, Rejection> {
        Ok(Response::new(futures_util::stream::empty()))
    }
}

// Functions of `settle` that cannot run when the body ends.
#[rate_limit(settle = |result: &Result<Response, Rejection>| 5, until = "body_end", by = "global")]
async fn of_the_result(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(settle = |sent| sent.bytes() as i64, until = "body_end", by = "global")]
async fn not_a_cost(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(settle = move |sent| *price * sent.blocks(1), until = "body_end", by = "global")]
async fn not_send(price: Rc<u32>) -> Result<Response, Rejection> { Ok(Response::default()) }
#[rate_limit(settle = |sent| price * sent.blocks(1), until = "body_end", by = "global")]
async fn borrows(price: u32) -> Result<Response, Rejection> { Ok(Response::default()) }
#[rate_limit(settle = move |sent| *price * sent.blocks(1), until = "body_end", by = "global")]
async fn of_a_reference(price: &u32) -> Result<Response, Rejection> { Ok(Response::default()) }
#[rate_limit(settle = |sent: ratelimit::body::BodySent| sent.blocks(1), by = "global")]
async fn without_until(body: Response) -> Result<Response, Rejection> { Ok(body) }

fn main() {}
