//! Tests the layer as a middleware of poem: beside other middlewares, and which parts of a request it sees.

use super::met;
use super::server::from;
use crate::harness::client::{Client, Version};
use crate::harness::contract::layer;
use crate::harness::limiters::still_layer;
use poem::http::{HeaderValue, StatusCode};
use poem::middleware::{CatchPanic, Cors, SetHeader};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response, Route, get, handler};
use ratelimit::context::RequestContext;
use ratelimit::{By, Limit, RateLimitLayer};
use std::sync::Arc;
use support::MINUTE;
use tokio::sync::{Notify, watch};

#[tokio::test]
async fn layers_stand_beside_other_middlewares() {
    let app = Route::new()
        .at("/", get(met))
        .with(SetHeader::new().appending("x-inner", "yes"))
        .with((layer("route"), CatchPanic::new()))
        .with_if(false, layer("never"))
        .with(still_layer())
        .with(Cors::new())
        .boxed();
    let cross_origin = || {
        let mut request = from(1, "/");
        request.headers_mut().insert("origin", HeaderValue::from_static("https://example.com"));
        request
    };
    let admitted = app.get_response(cross_origin()).await;
    assert_eq!(admitted.header("x-inner"), Some("yes"));
    assert_eq!(admitted.into_body().into_string().await.unwrap(), "route");
    let refused = app.get_response(cross_origin()).await;
    assert_eq!((refused.status().as_u16(), refused.header("retry-after")), (429, Some("60")));
    assert_eq!(refused.header("access-control-allow-origin"), Some("https://example.com"));
}

/// Waits in the handler until the test lets it return.
#[handler]
async fn slow(state: poem::web::Data<&Arc<(Notify, watch::Sender<bool>)>>) {
    let (entered, leave) = &***state;
    let mut left = leave.subscribe();
    entered.notify_one();
    left.wait_for(|left| *left).await.unwrap();
}

/// A client that has left does not keep its permit.
#[tokio::test]
async fn the_permit_of_a_cancelled_request_is_returned() {
    let state = Arc::new((Notify::new(), watch::Sender::new(false)));
    let permits = still_layer().limit("slow", Limit::concurrency(1, MINUTE), By::ip());
    let app = slow.data(Arc::clone(&state)).with(permits);
    tokio::select! {
        biased;
        _ = app.get_response(from(1, "/")) => unreachable!(),
        () = state.0.notified() => {}
    }
    state.1.send_replace(true);
    assert_eq!(app.get_response(from(1, "/")).await.status(), 200);
}

/// A nested route removes its prefix from the path.
#[tokio::test]
async fn a_limit_sees_the_path_that_the_client_has_sent() {
    let paths = By::request(|request| Some(request.path().to_owned()));
    let inner = RateLimitLayer::new().limit("path", Limit::counter(1, MINUTE), paths);
    let nested = Route::new().at("/met", get(met)).with(inner);
    let app = Route::new().nest("/a", nested).nest("/b", Route::new().at("/met", get(met)));
    let client = Client::new(super::server::start(app.with(still_layer())).await, Version::Http1);
    assert_eq!(client.get("/a/met?x=1").await.body, "path");
    assert_eq!(client.get("/a/met?x=2").await.status, 429);
    assert_eq!(client.get("/b/met").await.status, 200);

    // The layer also finds the path of a request that a test has built.
    let built = By::request(|request| (request.path() == "/built").then_some(1));
    let app = met.with(still_layer().limit("built", Limit::counter(1, MINUTE), built));
    for (path, expected) in [("/built", 200), ("/built", 429), ("/other", 200)] {
        let request = Request::builder().uri(path.parse().unwrap()).finish();
        assert_eq!(app.get_response(request).await.status(), expected, "{path}");
    }
}

/// An endpoint may do its work when it is called, before its future is polled. So the layer also calls it in the request
/// context.
#[tokio::test]
async fn an_endpoint_is_called_in_the_context() {
    struct Eager;

    impl Endpoint for Eager {
        type Output = Response;

        fn call(&self, _: Request) -> impl Future<Output = poem::Result<Response>> + Send {
            let known = RequestContext::current().and_then(|found| found.client_ip());
            let response =
                known.map_or(StatusCode::NOT_FOUND.into_response(), |ip| ip.to_string().into_response());
            std::future::ready(Ok(response))
        }
    }

    let response = Eager.with(still_layer()).get_response(from(9, "/")).await;
    assert_eq!(response.into_body().into_string().await.unwrap(), "203.0.113.9");
}
