//! A service on axum with a document by utoipa, to which `cargo ratelimit openapi` adds the refusals.
//!
//! ```sh
//! cargo run -p ratelimit-openapi-example --example openapi -- document > openapi.json
//! cargo ratelimit openapi openapi.json --answers problem-json --package ratelimit-openapi-example --all-targets
//! cargo ratelimit check --write ..                                    # once, with the same packages: ratelimits.json
//! cargo ratelimit check --openapi openapi.json ..                     # in CI, with the same options: both files are current
//! cargo run -p ratelimit-openapi-example --example openapi            # the service
//! for i in 1 2 3 4; do curl -i -d '' localhost:3000/login; done       # the 4th: the 429 of the document
//! ```

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use ratelimit::answer::Answers;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::{error::Error, net::SocketAddr};
use utoipa::OpenApi;

/// Gets the 429.
#[utoipa::path(post, path = "/login", responses((status = 200, description = "welcome", body = String)))]
#[rate_limit(key = "login", time = "1m", count = 3, by = "ip")]
async fn login(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(format!("welcome, {}\n", peer.ip()))
}

/// Gets the 429, and the 400 for a request without the header.
#[utoipa::path(get, path = "/search", responses((status = 200, description = "results", body = String)))]
#[rate_limit(key = "search", time = "1m", count = 30, by = "header:x-api-key")]
async fn search(headers: HeaderMap) -> Result<String, Rejection> {
    Ok(format!("results for a request with {} headers\n", headers.len()))
}

#[derive(OpenApi)]
#[openapi(info(title = "shop"), paths(login, search))]
struct Document;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).is_some_and(|word| word == "document") {
        println!("{}", Document::openapi().to_pretty_json()?);
        return Ok(());
    }
    ratelimit::answer::install_answers(Answers::problem_json())?;
    ratelimit::install(RateLimiter::in_memory())?;
    let app = Router::new().route("/login", post(login)).route("/search", get(search));
    let app = app.layer(RateLimitLayer::new());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
