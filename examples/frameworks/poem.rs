//! A poem server: a login limited by address, a search limited by API key, and header fields that tell clients their limits.
//!
//! ```text
//! cargo run -p ratelimit-framework-examples --example poem
//!
//! curl -i -d secret http://127.0.0.1:3000/login                        # 200 three times, then 429 with retry-after
//! curl -i -d wrong http://127.0.0.1:3000/login                         # 401, until it is 429
//! curl -i -H 'x-api-key: ann' http://127.0.0.1:3000/search/limits      # 200 five times, then 429
//! curl -i -H 'x-api-key: bob' http://127.0.0.1:3000/search/limits      # 200: another key
//! curl -i http://127.0.0.1:3000/search/limits                          # 400: it does not say who calls
//! curl -i -d '{}' http://127.0.0.1:3000/upload                         # 429 at the second one, before the body is read
//! ```

use poem::http::{HeaderMap, StatusCode};
use poem::listener::TcpListener;
use poem::web::{Json, Path};
use poem::{EndpointExt, Error, Request, Route, Server, get, handler, post};
use ratelimit::answer::Answers;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, rate_limit};
use std::time::Duration;

/// Each address may try to log in three times per minute. A wrong password also counts, and its response has the header
/// fields.
#[handler]
#[rate_limit(key = "login", time = "1m", count = 3, by = "ip")]
async fn login(password: String, _request: &Request) -> poem::Result<&'static str> {
    if password != "secret" {
        return Err(Error::from_string("wrong password\n", StatusCode::UNAUTHORIZED));
    }
    Ok("welcome\n")
}

/// Each API key may search five times per minute. The handler returns a plain value, so the limit is `fallible`.
#[handler]
#[rate_limit(key = "search", time = "1m", count = 5, by = "header:x-api-key", fallible)]
async fn search(Path(word): Path<String>, _headers: &HeaderMap) -> Json<Vec<String>> {
    Json(vec![format!("a page about {word}")])
}

#[handler]
fn upload(content: String) -> String {
    content
}

const ONE_PER_MINUTE: Limit = Limit::counter(1, Duration::from_secs(60));

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // If several processes share the limits, use `RateLimiter::builder().redis(url)` instead.
    ratelimit::install(RateLimiter::in_memory())?;
    ratelimit::answer::install_answers(Answers::problem_json())?;

    // This layer decides before the body is read. The layer around all routes writes the header fields.
    let uploads = RateLimitLayer::new().limit("uploads", ONE_PER_MINUTE, By::ip());
    let app = Route::new()
        .at("/login", post(login))
        .at("/search/:word", get(search))
        .at("/upload", post(upload).with(uploads))
        .with(RateLimitLayer::new());
    println!("listening on http://127.0.0.1:3000");
    Server::new(TcpListener::bind("127.0.0.1:3000")).run(app).await?;
    Ok(())
}
