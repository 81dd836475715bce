//! `tower_governor`: a layer for the whole router.

use crate::{FIVE, seven};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, StatusCode};
use axum::{Router, routing::get};
use std::net::SocketAddr;
use tower::ServiceExt;

mod before {
    use super::{Router, get};
    use tower_governor::{GovernorLayer, governor::GovernorConfigBuilder};

    pub(super) fn app() -> Router {
        let config = GovernorConfigBuilder::default().per_second(2).burst_size(5).finish();
        let config = config.expect("the numbers are above zero"); // five at once, then one every two seconds
        Router::new().route("/", get(async || "hello")).layer(GovernorLayer::new(config))
    }
}

mod after {
    use super::{Router, get};
    use ratelimit::{By, Limit, RateLimitLayer};
    use std::time::Duration;

    pub(super) fn app() -> Router {
        const EACH: Limit = Limit::token_bucket(1, Duration::from_secs(2)).burst(5);
        let layer = RateLimitLayer::new().limit("api", EACH, By::ip());
        Router::new().route("/", get(async || "hello")).layer(layer)
    }
}

pub(crate) async fn respond(app: &Router, client: u8) -> Response<Body> {
    let mut request = Request::get("/").body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([203, 0, 113, client], 4000))));
    app.clone().oneshot(request).await.unwrap()
}

#[tokio::test]
async fn both_admit_five_requests_of_an_address() {
    for app in [before::app(), ratelimit_in_memory(after::app())] {
        let passes = async |client| respond(&app, client).await.status() == StatusCode::OK;
        assert_eq!(seven(|| passes(1)).await, FIVE);
        assert!(passes(2).await, "another address has a limit of its own");
        let refused = respond(&app, 1).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.headers().contains_key("retry-after"));
    }
}

/// Adds a limiter in memory, so that the tests of this file share no limits with other tests.
pub(crate) fn ratelimit_in_memory(app: Router) -> Router {
    let limiter = ratelimit::RateLimiter::in_memory();
    app.layer(axum::middleware::from_fn(move |request, next: axum::middleware::Next| {
        ratelimit::scope(limiter.clone(), next.run(request))
    }))
}
