//! Two handlers of crates.io. Its middleware finds the client behind the load balancer, and puts it into the extensions.

use super::{assert_refused, bare, client, layered, outcome, send, serve};
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Json, Router};
use ratelimit::{ClientIp, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

struct App {
    host: &'static str,
}

#[derive(Clone, FromRequestParts)]
#[from_request(via(State))]
struct AppState(Arc<App>);

#[derive(Deserialize, FromRequestParts, IntoParams)]
#[from_request(via(Path))]
#[into_params(parameter_in = Path)]
struct CratePath {
    name: String,
}

#[derive(Deserialize, FromRequestParts, IntoParams)]
#[from_request(via(Path))]
#[into_params(parameter_in = Path)]
struct CrateVersionPath {
    name: String,
    version: String,
}

#[derive(Deserialize, ToSchema)]
struct PatchRequest {
    trustpub_only: Option<bool>,
}

#[derive(Serialize, ToSchema)]
struct PatchResponse {
    name: String,
}

trait AppError: Send + 'static {
    fn response(&self) -> Response;
}

type BoxedAppError = Box<dyn AppError>;
type AppResult<T> = Result<T, BoxedAppError>;

/// Takes every error, also a `Rejection`, so the attribute compiles as it stands, and refusals were answered with 500. The layer
/// reports that; the first two lines of the body are the change.
impl<E: Error + Send + 'static> AppError for E {
    fn response(&self) -> Response {
        if let Some(rejection) = Rejection::find(self) {
            return rejection.clone().into_response();
        }
        (StatusCode::INTERNAL_SERVER_ERROR, self.to_string()).into_response()
    }
}

impl<E: AppError> From<E> for BoxedAppError {
    fn from(error: E) -> Self {
        Box::new(error)
    }
}

impl IntoResponse for BoxedAppError {
    fn into_response(self) -> Response {
        self.response()
    }
}

/// The address of the client, which the middleware has found.
#[derive(Clone, Copy)]
struct RealIp(IpAddr);

/// The same type with the implementation that the page about identities asks for.
#[derive(Clone, Copy)]
struct ResolvedIp(IpAddr);

impl ClientIp for ResolvedIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

/// Its arguments have the address of the load balancer, in `Parts`, and that of the client, in `RealIp`. Nothing tells the attribute
/// what a `RealIp` is, so it takes `Parts`, as it stands.
#[utoipa::path(
    patch,
    path = "/api/v1/crates/{name}",
    params(CratePath),
    request_body = inline(PatchRequest),
    responses((status = 200, body = inline(PatchResponse))),
)]
#[rate_limit(key = "update_crate", count = 1, by = "ip")]
async fn update_crate(
    app: AppState,
    path: CratePath,
    req: Parts,
    Extension(real_ip): Extension<RealIp>,
    Json(body): Json<PatchRequest>,
) -> AppResult<Json<PatchResponse>> {
    let _ = (app, req, real_ip.0, body.trustpub_only);
    Ok(Json(PatchResponse { name: path.name }))
}

/// With `ClientIp` for its type, the extension is preferred to `Parts`.
#[rate_limit(key = "update_crate", count = 1, by = "ip")]
async fn update_crate_of_client(
    path: CratePath,
    req: Parts,
    Extension(real_ip): Extension<ResolvedIp>,
) -> AppResult<Json<PatchResponse>> {
    let _ = (req, real_ip);
    Ok(Json(PatchResponse { name: path.name }))
}

/// With the value in `by`, the handler needs nothing else.
#[rate_limit(key = "update_crate", count = 1, by = real_ip.0)]
async fn update_crate_by_value(
    path: CratePath,
    req: Parts,
    Extension(real_ip): Extension<RealIp>,
) -> AppResult<Json<PatchResponse>> {
    let _ = req;
    Ok(Json(PatchResponse { name: path.name }))
}

/// The middleware of crates.io, without its list of trusted networks.
async fn real_ip(mut request: Request, next: Next) -> Response {
    let last = request.headers().get_all("x-forwarded-for").iter().next_back();
    let address = last.and_then(|entry| entry.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    let address = address.unwrap_or(IpAddr::from([127, 0, 0, 1]));
    request.extensions_mut().insert(RealIp(address));
    request.extensions_mut().insert(ResolvedIp(address));
    next.run(request).await
}

fn app() -> Router {
    Router::new()
        .route("/crates/{name}", any(update_crate))
        .route("/resolved/{name}", get(update_crate_of_client))
        .route("/value/{name}", get(update_crate_by_value))
        .route("/crates/{name}/{version}/readme", get(get_version_readme))
        .layer(from_fn(real_ip))
        .with_state(AppState(Arc::new(App { host: "static.example.com" })))
}

/// A patch that a client sends through the load balancer.
async fn patch(balancer: &crate::harness::client::Client, client: &str) -> crate::harness::client::Reply {
    let request = balancer.request("/crates/serde").header("x-forwarded-for", client);
    let request = request.header("content-type", "application/json").body(r#"{"trustpub_only":true}"#);
    crate::harness::client::Reply::read(request.send().await.unwrap()).await
}

/// Without trusted proxies, the limiter logs what is wrong. With them, the handler is right as it stands.
#[tokio::test]
async fn the_load_balancer_is_reported_or_trusted() {
    let _ = support::take_events();
    let untrusted = layered(app(), RateLimitLayer::new()).await;
    assert_eq!(patch(&untrusted, "203.0.113.7").await.status, 200);
    assert_refused(&patch(&untrusted, "203.0.113.8").await);
    let events = support::take_events();
    let warned = |words: &str| events.iter().any(|event| event.to_string().contains(words));
    assert!(warned("requests come through a proxy that is not trusted"), "{events:?}");
    assert!(warned("`.trusted_proxies(..)`"), "{events:?}");

    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).build().await.unwrap();
    let trusted = client(serve(app().layer(RateLimitLayer::new().limiter(limiter))).await);
    assert_eq!(patch(&trusted, "203.0.113.7").await.status, 200);
    assert_eq!(patch(&trusted, "203.0.113.7").await.status, 429);
    assert_eq!(patch(&trusted, "203.0.113.8").await.status, 200);
}

#[tokio::test]
async fn the_address_of_the_middleware_is_taken_by_type_or_by_value() {
    for path in ["/resolved/serde", "/value/serde"] {
        let balancer = bare(app()).await;
        let one = [("x-forwarded-for", "203.0.113.7")];
        assert_eq!(balancer.get_with(path, &one).await.status, 200, "{path}");
        assert_refused(&balancer.get_with(path, &one).await);
        let other = [("x-forwarded-for", "203.0.113.8")];
        assert_eq!(balancer.get_with(path, &other).await.status, 200, "{path}");
    }
}

/// Compiles as it stands, because `Response` can report a refusal.
#[utoipa::path(
    get,
    path = "/api/v1/crates/{name}/{version}/readme",
    params(CrateVersionPath),
    responses((status = 302, description = "the address of the file")),
)]
#[rate_limit(key = "readme", count = 1, by = "ip")]
async fn get_version_readme(app: AppState, path: CrateVersionPath, req: Parts) -> Response {
    let url = format!("https://{}/{}/{}", app.0.host, path.name, path.version);
    if req.headers.get("accept").is_some_and(|accept| accept == "application/json") {
        Json(url).into_response()
    } else {
        (StatusCode::FOUND, [("location", url)]).into_response()
    }
}

#[tokio::test]
async fn a_response_reports_the_refusal() {
    let client = bare(app()).await;
    let json = [("accept", "application/json")];
    let reply = client.get_with("/crates/serde/1.0.0/readme", &json).await;
    assert_eq!(outcome(&reply), (200, None));
    assert_eq!(reply.body, r#""https://static.example.com/serde/1.0.0""#);
    assert_refused(&client.get_with("/crates/serde/1.0.0/readme", &json).await);
    assert_eq!(
        send(&client, "/crates/serde", "{").await.status,
        400,
        "the body is read before the attribute"
    );
}
