//! The fairing behind a real server: limits before the body, contexts that never mix and never stay.

use super::{build, serve};
use crate::harness::client::{Client, Reply, Version};
use ratelimit::{
    By, Identity, KeyWriter, Limit, RateLimitLayer, RateLimiter, Rejection, RequestContext, rate_limit,
};
use rocket::data::ToByteUnit;
use rocket::fairing::AdHoc;
use rocket::http::{Header, Status};
use rocket::request::{FromRequest, Outcome};
use rocket::response::stream::TextStream;
use rocket::tokio::sync::Semaphore;
use rocket::{Data, Request, Rocket, State, catch, catchers, get, post, routes};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use support::MINUTE;

/// What the handlers and guards of an application have done.
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

fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory())
}

async fn post_bytes(client: &Client, path: &str, bytes: usize) -> Reply {
    let (method, body) = (http::Method::POST, vec![b'a'; bytes]);
    let request = client.request(path).build().unwrap();
    let url = request.url().clone();
    Reply::read(reqwest::Client::new().request(method, url).body(body).send().await.unwrap()).await
}

/// A refused upload runs neither guards nor the handler. Other fairings see the refusal.
#[tokio::test]
async fn limits_of_the_layer_precede_the_body() {
    let seen = Seen::default();
    let limited = layer().limit("uploads", Limit::counter(1, MINUTE), By::everyone());
    let application = build().attach(limited).attach(cors()).manage(seen.clone());
    let client = Client::new(serve(application.mount("/", routes![upload])).await, Version::Http1);
    let accepted = post_bytes(&client, "/upload", 100_000).await;
    assert_eq!((accepted.status, accepted.body.as_str()), (200, "100000"));
    assert!(accepted.header("ratelimit").unwrap().starts_with(r#""uploads";r=0;t="#), "{accepted:?}");
    let refused = post_bytes(&client, "/upload", 100).await;
    assert_eq!((refused.status, seen.counts()), (429, (1, 1)), "{refused:?}");
    assert!(refused.body.starts_with("too many requests"), "{refused:?}");
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    assert!(refused.header("retry-after").is_some() && refused.header("ratelimit").is_some());
}

/// The routes of a layer see every request once, leave `HEAD` and the catchers as they are, and cannot be reached.
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
    let head = reqwest::Client::builder().local_address(client.address).build().unwrap();
    let url = client.request("/page").build().unwrap().url().clone();
    assert_eq!(head.head(url.clone()).send().await.unwrap().status(), 200, "counts once");
    assert_eq!(head.head(url).send().await.unwrap().status(), 429);
    assert_eq!(client.get("/nowhere").await.status, 429);
}

/// A permit of the layer is returned with the response, also after a panic.
#[tokio::test]
async fn permits_end_with_the_response() {
    let limited = layer().limit("at once", Limit::concurrency(1, MINUTE), By::everyone());
    let application = build().attach(limited).mount("/", routes![page, panic]);
    let client = Client::new(serve(application).await, Version::Http1);
    for (path, expected) in
        [("/page", 200), ("/panic", 500), ("/page", 200), ("/nowhere", 404), ("/page", 200)]
    {
        assert_eq!(client.get(path).await.status, expected, "{path}");
    }
}

#[get("/stream")]
fn stream() -> TextStream![&'static str] {
    TextStream! {
        yield "first";
        std::future::pending::<()>().await;
    }
}

/// The permit of the layer is returned before the body of the response is sent.
#[tokio::test]
async fn permits_do_not_wait_for_the_body() {
    let limited = layer().limit("at once", Limit::concurrency(1, MINUTE), By::everyone());
    let application = build().attach(limited).mount("/", routes![page, stream]);
    let client = Client::new(serve(application).await, Version::Http1);
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
    let limiter = ratelimit::scope::current().unwrap();
    tokio::spawn(ratelimit::scope(limiter, once())).await.unwrap()
}

#[get("/scoped")]
async fn of_scope() -> Result<(), Rejection> {
    ratelimit::scope(RateLimiter::in_memory(), once()).await
}

/// The innermost limiter applies: that of a scope in the handler, of the inner layer, of the outer layer.
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

/// A user that notices when its context is gone.
struct Alive(#[allow(dead_code)] Arc<()>);

impl Identity for Alive {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text("alive");
    }
}

/// The contexts of all requests, and a handler that waits for the test.
struct Contexts {
    sender: tokio::sync::mpsc::UnboundedSender<Weak<()>>,
    gate: Arc<Semaphore>,
}

impl Contexts {
    fn watch(&self) {
        let alive = Arc::new(());
        self.sender.send(Arc::downgrade(&alive)).unwrap();
        RequestContext::current().expect("a context").set_user(Alive(alive));
    }
}

#[get("/waits")]
async fn waits(contexts: &State<Contexts>) -> &'static str {
    contexts.watch();
    let _permit = contexts.gate.acquire().await.unwrap();
    "waited"
}

#[get("/panics")]
async fn panics(contexts: &State<Contexts>) -> &'static str {
    contexts.watch();
    tokio::task::yield_now().await;
    panic!("a handler of a test panics")
}

#[catch(418)]
fn panicking_catcher() -> &'static str {
    panic!("a catcher of a test panics")
}

#[get("/teapot")]
fn teapot(contexts: &State<Contexts>) -> Status {
    contexts.watch();
    Status::ImATeapot
}

/// The context of a request is gone when its response is, also after panics of a handler, a catcher and a fairing, and after a
/// client that has left. A request that is dropped with its runtime leaves nothing either.
#[test]
fn no_context_stays() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (sender, mut contexts) = tokio::sync::mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let panicking = AdHoc::on_response("panics", |request, _| {
        Box::pin(async move {
            assert!(request.uri().path() != "/waits" || request.uri().query().is_none(), "a fairing panics");
        })
    });
    // The panicking fairing precedes the layer, which then never sees the response.
    let application = build().attach(panicking).attach(layer());
    let application = application
        .manage(Contexts { sender, gate: gate.clone() })
        .mount("/", routes![waits, panics, teapot])
        .register("/", catchers![panicking_catcher]);
    let left = runtime.block_on(async {
        let client = Client::new(serve(application).await, Version::Http1);
        let mut ended = Vec::new();
        for (path, expected) in [("/panics", Some(500)), ("/teapot", Some(500)), ("/waits?panic", None)] {
            gate.add_permits(1);
            let reply = client.request(path).send().await;
            assert_eq!(reply.ok().map(|reply| reply.status().as_u16()), expected, "{path}");
            ended.push(contexts.recv().await.unwrap());
        }
        gate.forget_permits(10);
        // A client that leaves: rocket goes on with the request.
        let context = tokio::select! {
            _ = client.request("/waits").send() => panic!("the handler waits"),
            context = contexts.recv() => context.unwrap(),
        };
        gate.add_permits(1);
        ended.push(context);
        let all_ended = async {
            while ended.iter().any(|context| context.strong_count() > 0) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), all_ended).await.expect("a context stays");
        gate.forget_permits(10);
        tokio::spawn({
            let request = client.request("/waits");
            async move { request.send().await.is_ok() }
        });
        contexts.recv().await.unwrap()
    });
    assert!(left.upgrade().is_some(), "the last request waits");
    runtime.shutdown_timeout(Duration::from_secs(10));
    assert!(left.upgrade().is_none());
}

#[get("/whoami")]
async fn whoami(peer: SocketAddr) -> String {
    let mut addresses = Vec::new();
    for _ in 0..20 {
        addresses.push(RequestContext::current().and_then(|context| context.client_ip()));
        tokio::task::yield_now().await;
    }
    addresses.iter().all(|address| *address == Some(peer.ip())).to_string()
}

/// Requests on several threads have the contexts of their own clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn contexts_never_mix() {
    let server = serve(build().attach(layer()).mount("/", routes![whoami])).await;
    let ask = |_| {
        let client = Client::new(server, Version::Http1);
        tokio::spawn(async move {
            for _ in 0..20 {
                assert_eq!(client.get("/whoami").await.body, "true");
            }
        })
    };
    for task in (0..40).map(ask).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}
