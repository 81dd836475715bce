//! The layer as a fairing behind a real server: its limits are decided before the body is read, and the innermost limiter
//! applies.

use super::{build, serve};
use crate::harness::client::{Client, Reply, Version};
use ratelimit::answer::Answers;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use rocket::data::ToByteUnit;
use rocket::fairing::AdHoc;
use rocket::http::Header;
use rocket::request::{FromRequest, Outcome};
use rocket::response::stream::TextStream;
use rocket::{Data, Request, Rocket, State, catch, catchers, get, post, routes};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::MINUTE;

/// Counts the calls of the handlers and guards of an application.
#[derive(Clone, Default)]
struct Seen {
    guards: Arc<AtomicUsize>,
    handlers: Arc<AtomicUsize>,
}

impl Seen {
    fn counts(&self) -> (usize, usize) {
        (self.guards.load(Ordering::Relaxed), self.handlers.load(Ordering::Relaxed))
    }
}

struct Guard;

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Guard {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        request.rocket().state::<Seen>().unwrap().guards.fetch_add(1, Ordering::Relaxed);
        Outcome::Success(Self)
    }
}

#[post("/upload", data = "<data>")]
async fn upload(_guard: Guard, seen: &State<Seen>, data: Data<'_>) -> String {
    seen.handlers.fetch_add(1, Ordering::Relaxed);
    data.open(64.mebibytes()).into_bytes().await.unwrap().len().to_string()
}

#[get("/page")]
fn page() -> &'static str {
    "page"
}

#[get("/stream")]
fn stream() -> TextStream![&'static str] {
    TextStream! {
        yield "first";
        std::future::pending::<()>().await;
    }
}

#[get("/panic")]
fn panic() -> &'static str {
    panic!("a handler of a test panics")
}

#[catch(404)]
fn missing() -> &'static str {
    "no such page"
}

fn cors() -> AdHoc {
    AdHoc::on_response("cors", |_, response| {
        Box::pin(async { response.adjoin_header(Header::new("access-control-allow-origin", "*")) })
    })
}

pub(super) fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory())
}

/// A refused upload runs neither guards nor the handler. Other fairings see the refusal.
#[tokio::test]
async fn limits_of_the_layer_precede_the_body() {
    let seen = Seen::default();
    let limited = layer().limit("uploads", Limit::counter(1, MINUTE), By::global());
    let limited = limited.answers(Answers::problem_json());
    let application = build().attach(limited).attach(cors()).manage(seen.clone());
    let client = Client::new(serve(application.mount("/", routes![upload])).await, Version::Http1);
    let upload =
        async || Reply::read(client.post("/upload").body(vec![b'a'; 100_000]).send().await.unwrap()).await;
    let accepted = upload().await;
    assert_eq!((accepted.status, accepted.body.as_str()), (200, "100000"));
    assert!(accepted.header("ratelimit").unwrap().starts_with(r#""uploads";r=0;t="#), "{accepted:?}");
    let refused = upload().await;
    assert_eq!((refused.status, seen.counts()), (429, (1, 1)), "{refused:?}");
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    assert!(refused.header("retry-after").is_some() && refused.header("ratelimit").is_some());
}

/// The routes of the layer process every request once. `HEAD` requests and catchers work as without the layer. Clients cannot
/// call these routes.
#[tokio::test]
async fn admitted_requests_are_routed_as_without_limits() {
    let limited = layer().limit("all", Limit::counter(5, MINUTE), By::ip());
    let application = build().attach(limited).mount("/", routes![page]).register("/", catchers![missing]);
    let client = Client::new(serve(application).await, Version::Http1);
    let page = client.get("/page").await;
    assert_eq!((page.status, page.body.as_str()), (200, "page"));
    for path in ["/", "/nowhere/at/all?q=1", "/RateLimitLayer"] {
        let missing = client.get(path).await;
        assert_eq!((missing.status, missing.body.as_str()), (404, "no such page"), "{path}");
    }
    for (status, says) in [(200, "counts once"), (429, "the sixth request")] {
        assert_eq!(client.head("/page").send().await.unwrap().status(), status, "{says}");
    }
    assert_eq!(client.get("/nowhere").await.status, 429);
}

/// A permit of the layer is returned with the response, before the body of the response is sent. A panic also returns the
/// permit.
#[tokio::test]
async fn permits_end_with_the_response() {
    let limited = layer().limit("at once", Limit::concurrency(1, MINUTE), By::global());
    let application = build().attach(limited).mount("/", routes![page, panic, stream]);
    let client = Client::new(serve(application).await, Version::Http1);
    for (path, expected) in
        [("/page", 200), ("/panic", 500), ("/page", 200), ("/nowhere", 404), ("/page", 200)]
    {
        assert_eq!(client.get(path).await.status, expected, "{path}");
    }
    let streaming = client.request("/stream").send().await.unwrap();
    assert_eq!((streaming.status().as_u16(), client.get("/page").await.status), (200, 200));
}

#[rate_limit(key = "inner", count = 1, by = "global")]
async fn once() -> Result<(), Rejection> {
    Ok(())
}

#[get("/once")]
async fn of_layer() -> Result<(), Rejection> {
    once().await
}

#[get("/spawned")]
async fn of_layer_in_task() -> Result<(), Rejection> {
    let limiter = ratelimit::RateLimiter::scoped().unwrap();
    tokio::spawn(ratelimit::scope(limiter, once())).await.unwrap()
}

#[get("/scoped")]
async fn of_scope() -> Result<(), Rejection> {
    ratelimit::scope(RateLimiter::in_memory(), once()).await
}

/// The innermost limiter applies: the limiter of a scope in the handler, then of the inner layer, then of the outer layer.
#[tokio::test]
async fn the_innermost_limiter_applies() {
    let (outer, inner) = (RateLimiter::in_memory(), RateLimiter::in_memory());
    for (layers, limiter) in [
        (vec![layer().limiter(outer.clone()), RateLimitLayer::new()], &outer),
        (vec![layer().limiter(outer.clone()), layer().limiter(inner.clone())], &inner),
    ] {
        let application = build().mount("/", routes![of_layer, of_layer_in_task, of_scope]);
        let application = layers.into_iter().fold(application, Rocket::attach);
        let client = Client::new(serve(application).await, Version::Http1);
        assert_eq!(client.get("/once").await.status, 200);
        for (path, expected) in [("/once", 429), ("/spawned", 429), ("/scoped", 200), ("/scoped", 200)] {
            assert_eq!(client.get(path).await.status, expected, "{path}");
        }
        assert!(ratelimit::scope(limiter.clone(), once()).await.is_err());
    }
}
