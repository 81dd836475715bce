// Shapes of real handlers. The first advice of each message compiles where it is given.

#![allow(unused_variables)]

use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::Json;
use ratelimit::{Rejection, rate_limit};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;

struct Request<T>(T);
struct Status;
struct Server(std::net::SocketAddr);

// An interceptor of tonic cannot await.
#[rate_limit(count = 5)]
fn intercept(request: Request<()>) -> Result<Request<()>, Status> { Ok(request) }

// A named future whose body does not end with an async block.
trait Service { type Future; fn call(&self) -> Self::Future; }
impl Service for Server {
    type Future = Pin<Box<dyn Future<Output = Result<(), Rejection>>>>;
    #[rate_limit(count = 5)]
    fn call(&self) -> Self::Future {
        let answer = async move { Ok(()) };
        Box::pin(answer)
    }
}

// A method that a trait may declare, such as that of a service of tarpc.
trait World { async fn hello(self, name: String) -> String; async fn log(&self); }
impl World for Server {
    #[rate_limit(count = 5)]
    async fn hello(self, name: String) -> String { name }
    #[rate_limit(count = 5)]
    async fn log(&self) {}
}

// The client is in `self`.
impl Server {
    #[rate_limit(count = 5, by = "ip")]
    pub async fn in_self(self) -> Result<(), Rejection> { Ok(()) }
}

// Nobody can implement `From` for a tuple, whether it is visible or not.
type Problem = (StatusCode, Json<u32>);
#[rate_limit(count = 5, by = "global")]
async fn hidden_tuple() -> Result<Json<u32>, Problem> { Ok(Json(1)) }
#[rate_limit(count = 5, by = "global")]
async fn opaque_error() -> Result<Json<u32>, impl IntoResponse> { Err((StatusCode::OK, "no")) }

// The error of warp's handlers.
#[rate_limit(count = 5, by = "global")]
async fn never() -> Result<impl IntoResponse, Infallible> { Ok("yes") }

trait Reply {}
impl Reply for u8 {}
#[rate_limit(count = 5, by = "global")]
async fn reply() -> impl Reply { 1_u8 }

fn main() {}
