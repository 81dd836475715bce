// Handlers of real axum applications as they stand. Each message names the change that the handler needs.

#![allow(unused_variables)]

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::Response;
use axum::Json;
use futures_util::{Stream, stream};
use ratelimit::rate_limit;
use std::convert::Infallible;

struct User;

#[rate_limit(count = 5, by = "global")]
async fn create_user_generic<T>(State(state): State<T>, Json(params): Json<u32>) -> Json<User> {
    Json(User)
}

#[rate_limit(count = 5, by = "global")]
async fn sse_handler() -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(stream::empty())
}

#[rate_limit(count = 5, key = "kv:{key}")]
async fn kv_set(Path(key): Path<String>, bytes: Vec<u8>) {}

#[rate_limit(count = 5, by = "global")]
async fn mark_done(Path(id): Path<i32>) -> StatusCode {
    StatusCode::OK
}

enum Error {}

#[rate_limit(count = 5, by = "global")]
async fn login_user(Json(req): Json<u32>) -> Result<Json<User>, Error> {
    Ok(Json(User))
}

// The error of another crate: a refused call returns a response, so this compiles.
#[rate_limit(count = 5, by = "global")]
async fn login(Json(params): Json<u32>) -> Result<Response, axum::Error> {
    Ok(Response::default())
}

// The error of text-embeddings-inference: nobody can implement `From` for it.
#[rate_limit(count = 5, by = "global")]
async fn embed(Json(req): Json<u32>) -> Result<(HeaderMap, Json<User>), (StatusCode, Json<u32>)> {
    Ok((HeaderMap::new(), Json(User)))
}

#[rate_limit(count = 5, by = "ip")]
async fn list_articles(State(context): State<u32>) -> Result<Response, StatusCode> {
    Ok(Response::default())
}

#[rate_limit(count = 5, by = "user")]
async fn index(user: Option<User>) -> Response {
    Response::default()
}

// The example for errors answers 500 to a refusal. It compiles: a blanket conversion takes a rejection, too.
struct AppError;

impl<E: std::error::Error> From<E> for AppError {
    fn from(error: E) -> Self {
        Self
    }
}

#[rate_limit(count = 5, by = "global")]
async fn handler() -> Result<(), AppError> {
    Ok(())
}

fn main() {}
