//! The layer as a handler of salvo: beside other handlers, and inside another layer.

use super::{context, server};
use crate::harness::client::{Client, Version};
use ratelimit::answer::{Answers, RateLimitHeaders};
use ratelimit::context::RequestContext;
use ratelimit::testing::TestLimiter;
use ratelimit::{By, Limit, RateLimitLayer};
use salvo::prelude::*;
use support::MINUTE;

/// A layer with a limiter of its own, whose clock stands still.
fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(TestLimiter::new().limiter().clone())
}

fn limited(name: &'static str) -> RateLimitLayer {
    RateLimitLayer::new().limit(name, Limit::counter(1, MINUTE), By::ip())
}

async fn client(service: impl Into<Service>) -> Client {
    Client::new(server::start(service).await, Version::Http1)
}

/// Names of the limits that the request has met until now.
#[handler]
async fn met() -> String {
    let decisions = RequestContext::current().unwrap().decisions();
    decisions.iter().map(|decided| decided.name().to_owned()).collect::<Vec<_>>().join(" ")
}

/// Adds a header before and after the other handlers.
#[handler]
async fn around(req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
    res.headers_mut().insert("x-before", "yes".parse().unwrap());
    ctrl.call_next(req, depot, res).await;
    res.headers_mut().insert("x-after", "yes".parse().unwrap());
}

#[tokio::test]
async fn layers_stand_beside_other_handlers() {
    let routes = Router::new()
        .hoop(around)
        .hoop(layer())
        .hoop(limited("route"))
        .hoop_when(limited("never"), |_, _| false)
        .push(Router::with_path("both").hoop(limited("handler")).get(met))
        .push(Router::with_path("hooped").get(met.hoop(limited("hooped"))));
    let server = server::start(routes).await;
    let client = Client::new(server, Version::Http1);
    let admitted = client.get("/both").await;
    assert_eq!((admitted.status, admitted.body.as_str()), (200, "route handler"));
    assert_eq!(admitted.header("ratelimit-policy"), Some(r#""route";q=1;w=60, "handler";q=1;w=60"#));
    let refused = client.get("/both").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    assert_eq!((refused.header("x-before"), refused.header("x-after")), (Some("yes"), Some("yes")));
    assert_eq!(Client::new(server, Version::Http1).get("/hooped").await.body, "route hooped");
}

/// A hoop of the service also sees requests without a route.
#[tokio::test]
async fn a_hoop_of_the_service_covers_all_requests() {
    let service = Service::new(Router::with_path("known").get(met))
        .hoop(layer())
        .hoop(RateLimitLayer::new().limit("all", Limit::counter(3, MINUTE), By::ip()));
    let client = client(service).await;
    for (path, status) in
        [("/known", 200), ("/unknown", 404), ("/known", 200), ("/unknown", 429), ("/known", 429)]
    {
        let reply = client.get(path).await;
        assert_eq!((reply.status, reply.header("ratelimit").is_some()), (status, true), "{path}");
        assert_eq!(reply.header("retry-after").is_some(), status == 429, "{path}");
        assert_eq!(reply.body.starts_with("too many requests"), status == 429, "{path}");
    }
}

/// Each layer chooses the form of the answers inside it. The outermost one writes the header fields.
#[tokio::test]
async fn a_refusal_is_answered_in_the_form_of_the_innermost_layer() {
    let problems = || RateLimitLayer::new().answers(Answers::problem_json());
    let routes = Router::new()
        .hoop(layer().headers(RateLimitHeaders::XRateLimit))
        .push(Router::with_path("inner").hoop(problems()).get(context))
        .push(Router::with_path("limit").hoop(limited("inner").answers(Answers::problem_json())).get(met))
        .push(Router::with_path("outer").get(context));
    let server = server::start(routes).await;
    for (path, content_type) in [
        ("/inner", "application/problem+json"),
        ("/limit", "application/problem+json"),
        ("/outer", "text/plain; charset=utf-8"),
    ] {
        let client = Client::new(server, Version::Http1);
        assert_eq!(client.get(path).await.status, 200, "{path}");
        let refused = client.get(path).await;
        assert_eq!((refused.status, refused.header("content-type")), (429, Some(content_type)), "{path}");
        assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"), "{path}");
    }
}

/// A handler that ceases the flow wants its response as it is.
#[tokio::test]
async fn a_ceased_response_is_left_alone() {
    #[handler]
    async fn cease(ctrl: &mut FlowCtrl) -> &'static str {
        ctrl.cease();
        "as it is"
    }
    let client = client(Router::new().hoop(layer()).hoop(limited("ceased")).get(cease)).await;
    let ceased = client.get("/").await;
    assert_eq!((ceased.status, ceased.body.as_str(), ceased.header("ratelimit")), (200, "as it is", None));
    assert_eq!(client.get("/").await.status, 429, "it counts");
}

/// An error of a handler in front ends the flow.
#[tokio::test]
async fn the_response_of_a_handler_in_front_gets_the_header_fields() {
    #[handler]
    async fn authenticate() -> StatusError {
        StatusError::unauthorized()
    }
    let routes = Router::new().hoop(layer()).hoop(limited("login")).hoop(authenticate).get(met);
    let refused = client(routes).await.get("/").await;
    assert_eq!((refused.status, refused.header("ratelimit-policy")), (401, Some(r#""login";q=1;w=60"#)));
    assert!(refused.body.contains("Unauthorized"), "the catcher has written it: {refused:?}");
}
