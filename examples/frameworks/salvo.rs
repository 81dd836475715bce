//! A web server on salvo: a login limited by address, a search limited by API key, streams, and a limit for everything.
//!
//! ```sh
//! cargo run -p ratelimit-framework-examples --example salvo
//!
//! curl -i http://127.0.0.1:8080/login -d ann                            # 200 five times per minute, then 429
//! curl -i http://127.0.0.1:8080/search/crates -H 'x-api-key: my key'    # 200 three times at once, then one every 6 s
//! curl -i http://127.0.0.1:8080/search/crates -H 'x-api-key: your key'  # another key has its own limit
//! curl -i http://127.0.0.1:8080/search/crates                           # 400: it does not say who calls
//! curl -i http://127.0.0.1:8080/me -H 'authorization: ann'              # 200 ten times per hour, then 429
//! curl -iN http://127.0.0.1:8080/clock                                  # two at the same time; stop one with ctrl-c
//! curl -i http://127.0.0.1:8080/                                        # all responses say what is left
//! ```
//!
//! `RATELIMIT_URL=redis://127.0.0.1` stores the limits in Redis, where all processes share them.

use futures_util::stream::unfold;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use salvo::prelude::*;
use std::convert::Infallible;
use std::time::Duration;

/// Each address may log in five times per minute. A refusal is written into `res`.
#[handler]
#[rate_limit(key = "login", time = "1m", count = 5, by = "ip")]
async fn login(req: &mut Request, res: &mut Response) {
    match req.payload().await {
        Ok(name) => res.render(format!("welcome, {}\n", String::from_utf8_lossy(name))),
        Err(_) => res.render(StatusError::bad_request()),
    }
}

/// Each API key may search three times at once, and ten times per minute.
#[handler]
#[rate_limit(
    key = "search",
    time = "1m",
    count = 10,
    algorithm = "token_bucket",
    burst = 3,
    by = "header:x-api-key"
)]
async fn search(req: &mut Request) -> Result<String, Rejection> {
    let words: String = req.param("words").unwrap_or_default();
    Ok(format!("nothing found for {words}\n"))
}

/// The caller. A hoop puts this value into the depot after it has verified a session or a token. The hoop of this example
/// trusts the request.
struct User {
    name: String,
}

#[handler]
async fn authenticate(req: &mut Request, depot: &mut Depot) {
    if let Some(name) = req.header("authorization") {
        depot.insert_typed(User { name });
    }
}

/// Each user may call this page ten times per hour. `by` selects the user among the values in the depot.
#[handler]
#[rate_limit(key = "me", time = "1h", count = 10, by = depot.get_typed::<User>().ok().map(|user| &user.name))]
async fn me(depot: &mut Depot) -> Result<String, Rejection> {
    let name = depot.get_typed::<User>().map_or("nobody", |user| &user.name);
    Ok(format!("you are {name}\n"))
}

/// Two clients may watch at the same time. A permit is returned when its client disconnects.
#[handler]
#[rate_limit(
    key = "clock",
    time = "30s",
    count = 2,
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn clock(res: &mut Response) {
    let ticks = unfold(0, async |seconds| {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok::<_, Infallible>(format!("{seconds}\n")), seconds + 1))
    });
    res.stream(ticks);
}

#[handler]
async fn index() -> &'static str {
    "hello\n"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = match std::env::var("RATELIMIT_URL") {
        Ok(url) => RateLimiter::builder().redis(url).connect().await?,
        Err(_) => RateLimiter::in_memory(),
    };
    ratelimit::install(limiter.clone())?;

    // This limit is decided before the body is read. The layer also adds the header fields `RateLimit` and
    // `RateLimit-Policy` to all responses.
    let layer = RateLimitLayer::new().limit("all", Limit::counter(100, Duration::from_secs(60)), By::ip());
    let router = Router::new()
        .get(index)
        .push(Router::with_path("login").post(login))
        .push(Router::with_path("search/{words}").get(search))
        .push(Router::with_path("me").hoop(authenticate).get(me))
        .push(Router::with_path("clock").get(clock));
    let acceptor = TcpListener::new("127.0.0.1:8080").bind().await;
    println!("listening on http://127.0.0.1:8080");
    Server::new(acceptor).serve(Service::new(router).hoop(layer)).await;
    limiter.close().await; // returns permits and leased units before the process ends
    Ok(())
}
