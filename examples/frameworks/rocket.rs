//! A rocket server: a login limited by address, a search by API key, an export by user, and header fields by the layer.
//!
//! ```sh
//! cargo run -p ratelimit-framework-examples --example rocket
//! curl -i http://127.0.0.1:8000/login -d name=ann                        # the 4th within a minute: 429
//! curl -i http://127.0.0.1:8000/search?q=rust -H 'x-api-key: secret'     # the 3rd within ten seconds: 429
//! curl -i http://127.0.0.1:8000/search?q=rust                            # no key: 400
//! curl -i http://127.0.0.1:8000/export -H 'x-user: 7'                    # the 2nd within an hour: 429, by the catcher
//! curl -i http://127.0.0.1:8000/                                         # the layer's own limit: 100 per minute
//! ```

use ratelimit::rocket::RequestHead;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use rocket::form::{Form, FromForm};
use rocket::http::Status;
use rocket::request::{FromRequest, Outcome};
use rocket::{Request, catch, catchers, get, post, routes};
use std::net::SocketAddr;
use std::time::Duration;

#[derive(FromForm)]
struct Login {
    name: String,
}

/// The `SocketAddr` guard is the address of the peer. Behind a proxy, take a `RequestHead`, which also has the headers.
#[post("/login", data = "<login>")]
#[rate_limit(time = "1m", count = 3, by = "ip")]
async fn login(_peer: SocketAddr, login: Form<Login>) -> Result<String, Rejection> {
    Ok(format!("welcome, {}\n", login.name))
}

#[get("/search?<q>")]
#[rate_limit(time = "10s", count = 2, by = "header:x-api-key")]
async fn search(q: &str, _head: RequestHead<'_>) -> Result<String, Rejection> {
    Ok(format!("nothing found for {q}\n"))
}

/// A guard of the application that identifies the caller. This example trusts a header.
struct User(u64);

#[rocket::async_trait]
impl<'r> FromRequest<'r> for User {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        match request.headers().get_one("x-user").and_then(|id| id.parse().ok()) {
            Some(id) => Outcome::Success(Self(id)),
            None => Outcome::Error((Status::Unauthorized, ())),
        }
    }
}

impl UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// A `Status` goes to the catchers. The layer adds `Retry-After` to their response.
#[get("/export")]
#[rate_limit(time = "1h", count = 1, by = "user")]
async fn export(user: User) -> Result<String, Status> {
    Ok(format!("all data of user {}\n", user.0))
}

#[get("/")]
fn index() -> &'static str {
    "try /login, /search and /export\n"
}

#[catch(429)]
fn too_many_requests() -> &'static str {
    "slow down\n"
}

#[rocket::launch]
fn rocket() -> _ {
    // In production: `RateLimiter::builder().redis(..)`.
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory()).limit(
        "all",
        Limit::counter(100, Duration::from_secs(60)),
        By::ip(),
    );
    rocket::build()
        .attach(layer)
        .mount("/", routes![index, login, search, export])
        .register("/", catchers![too_many_requests])
}
