//! A web server on actix-web: a login limited by address, a search limited by API key, and a limit for everything.
//!
//! ```sh
//! cargo run -p ratelimit-framework-examples --example actix
//!
//! curl -i http://127.0.0.1:8080/login -d ann                            # 200 five times per minute, then 429
//! curl -i http://127.0.0.1:8080/search/crates -H 'x-api-key: my key'    # 200 three times at once, then one every 6 s
//! curl -i http://127.0.0.1:8080/search/crates -H 'x-api-key: your key'  # another key has its own limit
//! curl -i http://127.0.0.1:8080/search/crates                           # 400: it does not say who calls
//! curl -i http://127.0.0.1:8080/me -H 'authorization: ann'              # 200 ten times per hour, then 429
//! curl -N http://127.0.0.1:8080/export                                  # one at a time: a second one receives 429
//! curl -i http://127.0.0.1:8080/                                        # all responses say what is left
//! ```
//!
//! `RATELIMIT_URL=redis://127.0.0.1` stores the limits in Redis, where all processes share them. After SIGTERM, open
//! responses may take `GRACE_SECONDS`, 10 by default. `ADDRESS` is the address on which the server listens.

use actix_web::web::{Bytes, Path, ReqData};
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse, HttpServer, Responder, get, post};
use actix_web::{dev::ServiceRequest, middleware};
use futures_util::stream::unfold;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use std::convert::Infallible;
use std::time::Duration;

/// Each address may log in five times per minute. Extractors run before the limit, so the body has already been read.
#[post("/login")]
#[rate_limit(key = "login", time = "1m", count = 5, by = "ip")]
async fn login(_: HttpRequest, name: String) -> Result<String, Rejection> {
    Ok(format!("welcome, {name}\n"))
}

/// Each API key may search three times at once, and ten times per minute.
#[get("/search/{words}")]
#[rate_limit(
    key = "search",
    time = "1m",
    count = 10,
    algorithm = "token_bucket",
    burst = 3,
    by = "header:x-api-key"
)]
async fn search(words: Path<String>, _: HttpRequest) -> HttpResponse {
    HttpResponse::Ok().body(format!("nothing found for {words}\n"))
}

/// The caller. A middleware puts this value into the request after it has verified a session or a token.
#[derive(Clone)]
struct User(String);

impl UserId for User {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

/// Each user may call this page ten times per hour.
#[get("/me")]
#[rate_limit(key = "me", time = "1h", count = 10, by = "user")]
async fn me(user: Option<ReqData<User>>) -> impl Responder {
    user.map(|user| format!("you are {}\n", user.0))
}

/// All processes together run one export at a time, until its last byte has been sent.
#[get("/export")]
#[rate_limit(
    key = "export",
    algorithm = "concurrency",
    time = "1m",
    count = 1,
    by = "global",
    until = "body_end"
)]
async fn export() -> HttpResponse {
    HttpResponse::Ok().streaming(unfold(0, async |row: u32| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (row < 3000).then(|| (Ok::<_, Infallible>(Bytes::from(format!("row {row}\n"))), row + 1))
    }))
}

#[get("/")]
async fn index() -> &'static str {
    "hello\n"
}

/// Trusts the header of the request. A real server verifies it.
fn authenticate(request: &ServiceRequest) {
    let user = request.headers().get("authorization").and_then(|user| user.to_str().ok());
    if let Some(user) = user {
        request.extensions_mut().insert(User(user.to_owned()));
    }
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = match std::env::var("RATELIMIT_URL") {
        Ok(url) => RateLimiter::builder().redis(url).connect().await?,
        Err(_) => RateLimiter::in_memory(),
    };
    ratelimit::install(limiter.clone())?;

    // This limit is decided before the body is read. The layer also adds the header fields `RateLimit` and
    // `RateLimit-Policy` to all responses.
    let layer = RateLimitLayer::new().limit("all", Limit::counter(100, Duration::from_secs(60)), By::ip());
    let app = move || {
        let authenticated = middleware::from_fn(async |request, next: middleware::Next<_>| {
            authenticate(&request);
            next.call(request).await
        });
        let app = App::new().service(login).service(search).service(me).service(export).service(index);
        app.wrap(authenticated).wrap(layer.clone())
    };
    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:8080".to_owned());
    let grace = std::env::var("GRACE_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let server = HttpServer::new(app).shutdown_timeout(grace).bind(address)?;
    println!("listening on http://{}", server.addrs()[0]);
    server.run().await?;
    limiter.close().await; // returns permits and leased units before the process ends
    Ok(())
}
