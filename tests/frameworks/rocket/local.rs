//! rocket's local clients dispatch requests without a server: several requests in one task, or requests outside any task.

use super::{build, client, get_from};
use ratelimit::context::RequestContext;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use rocket::http::Status;
use rocket::local::{asynchronous, blocking};
use rocket::{Build, Rocket, get, routes};
use std::net::{IpAddr, SocketAddr};
use support::MINUTE;

#[get("/context")]
#[rate_limit(key = "local", count = 1, by = ratelimit::context::client_ip())]
async fn context() -> Result<String, Rejection> {
    Ok(RequestContext::current().unwrap().client_ip().unwrap().to_string())
}

#[get("/later")]
async fn later() -> Result<String, Rejection> {
    tokio::task::yield_now().await;
    context().await
}

#[get("/nested")]
async fn nested() -> String {
    let inner = asynchronous::Client::untracked(application()).await.unwrap();
    let ours = RequestContext::current().unwrap().client_ip();
    let theirs = get_from(&inner, "/address", 9).dispatch().await.into_string().await.unwrap();
    // The two requests of the task cannot be told apart, so neither takes the address of the other.
    format!("{} {theirs}", ours.unwrap())
}

#[get("/address")]
async fn address() -> String {
    tokio::task::yield_now().await;
    RequestContext::current()
        .and_then(|context| context.client_ip())
        .map_or("none".into(), |ip| ip.to_string())
}

#[get("/plain")]
fn plain() {}

fn application() -> Rocket<Build> {
    let limited = RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let layer = limited.limit(
        "plain",
        Limit::counter(2, MINUTE),
        By::request(|request| (request.path() == "/plain").then(|| request.client_ip())),
    );
    build().attach(layer).mount("/", routes![context, later, nested, address, plain])
}

/// A blocking client runs outside any task, as in a plain test.
#[test]
fn a_blocking_client_has_contexts() {
    let client = blocking::Client::untracked(application()).unwrap();
    let from = |last| client.get("/context").remote(SocketAddr::from(([203, 0, 113, last], 1)));
    assert_eq!(from(1).dispatch().into_string().as_deref(), Some("203.0.113.1"));
    assert_eq!(from(1).dispatch().status(), Status::TooManyRequests);
    assert_eq!(from(2).dispatch().into_string().as_deref(), Some("203.0.113.2"));
}

/// The requests run in one task, and the responses outlive them.
#[tokio::test]
async fn requests_one_after_another_have_contexts() {
    let task = tokio::spawn(async {
        let client = client(application()).await;
        let first = get_from(&client, "/context", 1).dispatch().await;
        let second = get_from(&client, "/context", 2).dispatch().await;
        assert_eq!(first.into_string().await.as_deref(), Some("203.0.113.1"));
        assert_eq!(second.into_string().await.as_deref(), Some("203.0.113.2"));
        assert_eq!(get_from(&client, "/context", 2).dispatch().await.status(), Status::TooManyRequests);
        // This request is dropped before it ends.
        let dropped = futures_util::FutureExt::now_or_never(get_from(&client, "/address", 3).dispatch());
        assert!(dropped.is_none());
        assert!(RequestContext::current().is_none());
        let next = get_from(&client, "/address", 4).dispatch().await;
        assert_eq!(next.into_string().await.as_deref(), Some("203.0.113.4"));
    });
    task.await.unwrap();
}

/// Concurrent requests in one task cannot be told apart. Each of them has no context, so none has the context of another
/// client.
#[tokio::test]
async fn requests_at_once_in_a_task_have_none() {
    let client = client(application()).await;
    let both = async |path| {
        let (first, second) = (get_from(&client, path, 1), get_from(&client, path, 2));
        tokio::join!(first.dispatch(), second.dispatch())
    };
    let (first, second) = both("/address").await;
    assert_eq!(first.into_string().await.as_deref(), Some("none"));
    assert_eq!(second.into_string().await.as_deref(), Some("none"));
    // The first request ends before the second one begins.
    let (first, second) = both("/context").await;
    assert_eq!((first.status().code, second.status().code), (200, 200));
    let (first, second) = both("/later").await;
    assert_eq!((first.status().code, second.status().code), (503, 503));
    let alone = get_from(&client, "/address", 3).dispatch().await;
    assert_eq!(alone.into_string().await.as_deref(), Some("203.0.113.3"));
    let nested = get_from(&client, "/nested", 5).dispatch().await;
    assert_eq!(nested.into_string().await.as_deref(), Some("203.0.113.5 none"));
}

/// The limits of the layer count each of several concurrent requests. The layer receives the request itself, so it does not
/// have to find out which request runs in the task.
#[tokio::test]
async fn limits_of_the_layer_count_requests_at_once() {
    let client = client(application()).await;
    let ask = |last| get_from(&client, "/plain", last).dispatch();
    let (a, b, c, other) = tokio::join!(ask(1), ask(1), ask(1), ask(2));
    let refused = [&a, &b, &c].iter().filter(|reply| reply.status() == Status::TooManyRequests).count();
    assert_eq!((refused, other.status()), (1, Status::Ok));
}

/// Clones of a local request share its cache, but each clone is counted.
#[tokio::test]
async fn clones_of_a_request_are_counted() {
    let client = client(application()).await;
    let request = get_from(&client, "/plain", 1);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(request.clone().dispatch().await.status().code);
    }
    assert_eq!(statuses, [200, 200, 429]);
    let request = get_from(&client, "/plain", 2);
    let ask = || request.clone().dispatch();
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    assert_eq!([a, b, c].iter().filter(|reply| reply.status() == Status::TooManyRequests).count(), 1);
}

#[get("/inside")]
async fn inside() -> String {
    let ip = |context: Option<RequestContext>| context.and_then(|context| context.client_ip()).unwrap();
    let outer = ip(RequestContext::current());
    let other = RequestContext::new().with_client_ip(IpAddr::from([192, 0, 2, 1]));
    let inner = other.scope(async { ip(RequestContext::current()) }).await;
    format!("{outer} {inner} {}", ip(RequestContext::current()))
}

/// Scopes around a local request are outside the layer, and scopes in the handler are inside. The client address of a context
/// around the request also applies inside the layer.
#[tokio::test]
async fn scopes_nest() {
    let client = client(application().mount("/", routes![inside])).await;
    let around = RequestContext::new().with_client_ip(IpAddr::from([198, 51, 100, 1]));
    let scoped = around.clone().scope(get_from(&client, "/inside", 1).dispatch()).await;
    assert_eq!(scoped.into_string().await.as_deref(), Some("198.51.100.1 192.0.2.1 198.51.100.1"));
    let alone = get_from(&client, "/inside", 1).dispatch().await;
    assert_eq!(alone.into_string().await.as_deref(), Some("203.0.113.1 192.0.2.1 203.0.113.1"));
    // The layer's limiter is inside the scope around the request, so the layer's limiter decides.
    let other = RateLimiter::in_memory();
    let context = |last| ratelimit::scope(other.clone(), get_from(&client, "/context", last).dispatch());
    assert_eq!(context(1).await.status(), Status::Ok);
    assert_eq!(get_from(&client, "/context", 1).dispatch().await.status(), Status::TooManyRequests);
}
