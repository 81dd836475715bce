//! Tests the layer as a handler of salvo: beside other handlers, and what the layer writes into their responses.

use super::{met, server};
use crate::harness::client::{Client, Version};
use crate::harness::contract::layer;
use crate::harness::limiters::still_layer;
use ratelimit::{By, Limit, RateLimitLayer};
use salvo::prelude::*;
use support::MINUTE;

async fn client(service: impl Into<Service>) -> Client {
    Client::new(server::start(service).await, Version::Http1)
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
    let never = layer("never");
    let routes = Router::new().hoop(around).hoop(still_layer()).hoop_when(never, |_, _| false);
    let client = client(routes.get(met.hoop(layer("hooped")))).await;
    assert_eq!(client.get("/").await.body, "hooped");
    let refused = client.get("/").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    assert_eq!((refused.header("x-before"), refused.header("x-after")), (Some("yes"), Some("yes")));
}

/// A hoop of the service also sees requests without a route.
#[tokio::test]
async fn a_hoop_of_the_service_covers_all_requests() {
    let service = Service::new(Router::with_path("known").get(met))
        .hoop(still_layer())
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

/// A handler that ceases the flow expects that its response stays as it is.
#[tokio::test]
async fn a_ceased_response_is_left_alone() {
    #[handler]
    async fn cease(ctrl: &mut FlowCtrl) -> &'static str {
        ctrl.cease();
        "as it is"
    }
    let client = client(Router::new().hoop(still_layer()).hoop(layer("ceased")).get(cease)).await;
    let ceased = client.get("/").await;
    assert_eq!((ceased.status, ceased.body.as_str(), ceased.header("ratelimit")), (200, "as it is", None));
    assert_eq!(client.get("/").await.status, 429, "it counts");
}

/// An error of a handler in front of the last handler ends the flow. The error's response still receives the header fields of
/// the layer's limit.
#[tokio::test]
async fn the_response_of_a_handler_in_front_gets_the_header_fields() {
    #[handler]
    async fn authenticate() -> StatusError {
        StatusError::unauthorized()
    }
    let routes = Router::new().hoop(still_layer()).hoop(layer("login")).hoop(authenticate).get(met);
    let refused = client(routes).await.get("/").await;
    assert_eq!((refused.status, refused.header("ratelimit-policy")), (401, Some(r#""login";q=1;w=60"#)));
    assert!(refused.body.contains("Unauthorized"), "the catcher has written it: {refused:?}");
}
