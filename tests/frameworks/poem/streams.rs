//! `until = "body_end"`: permits and charges that last as long as a response of poem.

use super::server;
use crate::streams::contract::{self, BLOCKS, STREAMS};
use crate::streams::server::App;
use futures_util::StreamExt;
use poem::error::NotFoundError;
use poem::http::{HeaderMap, StatusCode};
use poem::web::Data;
use poem::web::sse::{Event, SSE};
use poem::{Body, EndpointExt, IntoResponse, Response, Route, get, handler};
use poem_openapi::payload::Binary;
use poem_openapi::{OpenApi, OpenApiService};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};

fn download(app: &App) -> Body {
    Body::from_bytes_stream(app.chunks())
}

fn ticks(app: &App) -> SSE {
    SSE::new(app.chunks().map(|_| Event::message("tick"))).keep_alive(support::HOUR)
}

/// Declares handlers that share one permit, one for each form of return value.
macro_rules! handlers {
    ($($name:ident => $returned:ty: |$app:ident| $body:expr;)*) => {
        $(#[handler]
        #[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
        async fn $name(Data($app): Data<&App>) -> $returned {
            $body
        })*

        fn routes() -> Route {
            Route::new()$(.at(concat!("/", stringify!($name)), get($name)))*
        }
    };
}

handlers! {
    plain => Response: |app| download(app).into_response();
    or_rejection => Result<Response, Rejection>: |app| Ok(download(app).into_response());
    body_or_error => poem::Result<Body>: |app| Ok(download(app));
    parts => Result<(StatusCode, HeaderMap, Body), Rejection>: |app| Ok((StatusCode::OK, HeaderMap::new(), download(app)));
    opaque => impl IntoResponse: |app| download(app);
    events => impl IntoResponse: |app| ticks(app);
    events_or_rejection => Result<impl IntoResponse, Rejection>: |app| Ok(ticks(app));
    events_or_error => poem::Result<impl IntoResponse>: |app| Ok((StatusCode::OK, ticks(app)));
    missing => poem::Result<Body>: |_app| Err(NotFoundError.into());
    whole => Result<Response, Rejection>: |_app| Ok("whole".into_response());
}

const STREAMING: [&str; 9] = [
    "/plain",
    "/or_rejection",
    "/body_or_error",
    "/parts",
    "/opaque",
    "/events",
    "/events_or_rejection",
    "/events_or_error",
    "/api/binary",
];

#[handler]
#[rate_limit(key = "blocks", limit = BLOCKS, by = "global", cost = 20, settle = contract::charge, until = "body_end")]
async fn blocks(Data(app): Data<&App>) -> Result<Response, Rejection> {
    Ok(download(app).into_response())
}

struct Api;

#[OpenApi]
impl Api {
    /// The payload of poem-openapi contains the body that holds the permit.
    #[oai(path = "/binary", method = "get")]
    async fn binary(&self, app: Data<&App>) -> poem::Result<Binary<Body>> {
        let permit = app.limits.permit(&STREAMS, "streams").await?;
        Ok(Binary(permit.hold(download(app.0))))
    }
}

#[tokio::test]
async fn keeps_the_contract_of_streams() {
    let serve = async |app: App| {
        let layer = RateLimitLayer::new().limiter(app.limits.clone());
        let routes = routes().at("/blocks", get(blocks));
        let routes = routes.nest("/api", OpenApiService::new(Api, "streams", "1.0"));
        server::start(routes.data(app).with(layer)).await
    };
    let finished = [("/missing", 404), ("/whole", 200)];
    contract::check(&STREAMING, &finished, serve).await;
}
