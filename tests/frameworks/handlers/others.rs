//! Handlers of frameworks for which this library has no feature, with their own types: warp, `lambda_http` and apalis.

use apalis::prelude::{BoxDynError, Data, MemoryStorage, TaskSink, WorkerBuilder, WorkerContext};
use lambda_http::{Body, Error, Request};
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use warp::{Filter, Reply};

fn seconds<B>(response: &http::Response<B>) -> u64 {
    response.headers()[http::header::RETRY_AFTER].to_str().unwrap().parse().unwrap()
}

type Db = Arc<Mutex<Vec<String>>>;

/// The handler `list_todos` of warp's to-do example. `Infallible` cannot carry a refusal, so the compiler asks for
/// `on_limit`. The response of `on_limit` and the response of the body need one type, so both call `into_response`. One more
/// filter supplies the address.
#[rate_limit(key = "todos", count = 1, by = "ip", on_limit = |rejection| Ok(rejection.into()))]
async fn list_todos(peer: Option<SocketAddr>, db: Db) -> Result<impl Reply, Infallible> {
    let todos = db.lock().unwrap().join(", ");
    Ok(todos.into_response())
}

#[tokio::test]
async fn warp_list_todos() {
    let db = Db::new(Mutex::new(vec!["wash".to_owned(), "cook".to_owned()]));
    let db = warp::any().map(move || db.clone());
    let limiter = RateLimiter::in_memory();
    // A server spawns a task for each connection, so the limiter is set around the handler. A real application would install
    // its limiter.
    let todos = move |peer, db| ratelimit::scope(limiter.clone(), list_todos(peer, db));
    let route = warp::path!("todos").and(warp::get()).and(warp::addr::remote()).and(db).and_then(todos);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let server = listener.local_addr().unwrap();
    tokio::spawn(warp::serve(route).incoming(listener).run());
    let get = async || reqwest::get(format!("http://{server}/todos")).await.unwrap();
    let first = get().await;
    assert_eq!((first.status().as_u16(), first.text().await.unwrap().as_str()), (200, "wash, cook"));
    let refused = get().await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["content-type"], "text/plain; charset=utf-8");
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert!(refused.text().await.unwrap().starts_with("too many requests"));
}

/// A function behind an HTTP gateway. `Box<dyn Error>` accepts a refusal, but the gateway answers an error with 502, because
/// an error is a failed invocation. So a refused call returns a response. The gateway knows the client: see [`from_gateway`].
#[rate_limit(key = "function", count = 1, by = "ip")]
async fn function_handler(event: Request) -> Result<http::Response<Body>, Error> {
    Ok(http::Response::new(event.into_body()))
}

/// Puts the address that the gateway reports into the extension that `by = "ip"` reads.
fn from_gateway(mut event: Request) -> Request {
    use lambda_http::RequestExt;
    use lambda_http::request::RequestContext;

    let address = match event.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.clone(),
        _ => None,
    };
    if let Some(address) = address.and_then(|address| address.parse::<IpAddr>().ok()) {
        event.extensions_mut().insert(PeerAddr::from(address));
    }
    event
}

/// Returns an event in the format of the gateway.
fn event(source_ip: &str) -> Request {
    let event = serde_json::json!({
        "version": "2.0", "routeKey": "$default", "rawPath": "/", "rawQueryString": "", "headers": {},
        "requestContext": { "http": { "method": "GET", "path": "/", "sourceIp": source_ip }, "timeEpoch": 0 },
        "body": "hello", "isBase64Encoded": false
    });
    from_gateway(lambda_http::request::from_str(&event.to_string()).unwrap())
}

#[tokio::test]
async fn lambda_function_handler() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        let admitted = function_handler(event("203.0.113.7")).await.unwrap();
        assert_eq!((admitted.status().as_u16(), &**admitted.body()), (200, b"hello".as_slice()));
        let refused = function_handler(event("203.0.113.7")).await.unwrap();
        assert_eq!(refused.status(), 429);
        assert!((1..=60).contains(&seconds(&refused)));
        assert!(refused.body().starts_with(b"too many requests"));
        assert_eq!(function_handler(event("203.0.113.8")).await.unwrap().status(), 200);
        assert_eq!(function_handler(event("")).await.unwrap().status(), 503, "nobody knows the client");
    })
    .await;
}

#[derive(Clone, Debug)]
struct Email {
    to: String,
}

type Outbox = Arc<Mutex<Vec<String>>>;

/// A job of apalis with `wait`, so that the worker sends as fast as the limit permits. Without `wait` the job also compiles,
/// but a refusal is a failed attempt, which the worker repeats.
#[rate_limit(key = "emails", time = "10ms", count = 1, wait = "30s", by = "global")]
async fn send_email(job: Email, outbox: Data<Outbox>, worker: WorkerContext) -> Result<(), BoxDynError> {
    let mut outbox = outbox.lock().unwrap();
    outbox.push(job.to);
    if outbox.len() == 3 {
        worker.stop()?;
    }
    Ok(())
}

/// A job without `wait`: a refusal is a failed attempt.
#[rate_limit(key = "failing_emails", count = 1, by = "global")]
async fn send_failing_email(job: Email) -> Result<(), BoxDynError> {
    drop(job);
    Ok(())
}

#[tokio::test]
async fn apalis_send_email() {
    let (outbox, mut storage) = (Outbox::default(), MemoryStorage::new());
    let recipients = ["ann", "bob", "zoe"];
    for to in recipients {
        storage.push(Email { to: to.to_owned() }).await.unwrap();
    }
    let worker = WorkerBuilder::new("emails").backend(storage).data(outbox.clone()).build(send_email);
    ratelimit::scope(RateLimiter::in_memory(), async {
        worker.run().await.unwrap();
        assert_eq!(*outbox.lock().unwrap(), recipients);
        let email = || send_failing_email(Email { to: "ann".to_owned() });
        assert!(email().await.is_ok());
        assert!(email().await.unwrap_err().is::<Rejection>(), "a failed attempt");
    })
    .await;
}

/// A handler of warp that the compile error about `impl Reply` advises: it returns `warp::reply::Response`, which can be a
/// refusal.
#[rate_limit(key = "health", count = 1, by = "global")]
async fn health() -> warp::reply::Response {
    "up".into_response()
}

#[tokio::test]
async fn warp_response() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        assert_eq!(health().await.status(), 200);
        assert_eq!(health().await.status(), 429);
    })
    .await;
}
