//! A service on axum with a document by utoipa, whose operation ids are the names of the functions.

use axum::Json;
use axum::extract::{ConnectInfo, Path};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;
use std::time::Duration;

#[derive(serde::Serialize, utoipa::ToSchema)]
pub(crate) struct Hit {
    id: u64,
    /// From 0 to 1.
    score: f64,
}

/// Sends a link for signing in.
#[utoipa::path(post, path = "/login", responses((status = 204, description = "sent")))]
#[rate_limit(key = "login", time = "1m", count = 2, by = "ip")]
async fn login(_: ConnectInfo<SocketAddr>) -> Result<StatusCode, Rejection> {
    Ok(StatusCode::NO_CONTENT)
}

/// A query of a key.
#[utoipa::path(get, path = "/search", params(("x-api-key" = String, Header)), responses((status = 200, description = "found", body = [Hit])))]
#[rate_limit(key = "search", time = "1m", count = 2, by = "header:x-api-key", on_error = "deny")]
async fn search(headers: HeaderMap) -> Result<Json<Vec<Hit>>, Rejection> {
    Ok(Json(vec![Hit { id: headers.len() as u64, score: 0.5 }]))
}

/// The author of the service has described the refusal, without its header fields.
#[utoipa::path(
    get,
    path = "/reports/{id}",
    params(("id" = u64, Path)),
    responses((status = 200, description = "found", body = Hit), (status = 429, description = "too many reports"), (status = 400, description = "no id", body = String))
)]
#[rate_limit(key = "report:{id}", time = "1m", count = 2, by = "global")]
async fn report(Path(id): Path<u64>) -> Result<Json<Hit>, Rejection> {
    Ok(Json(Hit { id, score: 1.0 }))
}

/// Both modules have a function `list`.
mod users {
    use super::{Rejection, rate_limit};

    #[utoipa::path(get, path = "/users", responses((status = 200, description = "done")))]
    #[rate_limit(key = "users", time = "1m", count = 2, by = "global")]
    pub(super) async fn list() -> Result<String, Rejection> {
        Ok("ann, bob".to_owned())
    }
}

mod orders {
    #[utoipa::path(get, path = "/orders", responses((status = 200, description = "done")))]
    pub(super) async fn list() -> &'static str {
        "no orders"
    }
}

fn later(result: &Result<String, Rejection>) -> Option<Duration> {
    result.is_err().then_some(Duration::from_secs(1))
}

/// The limit counts the calls of this service to a partner, so it is internal.
#[utoipa::path(get, path = "/partner", responses((status = 200, description = "done")))]
#[rate_limit(key = "partner", time = "1m", count = 50, pause_if = later)]
async fn partner() -> Result<String, Rejection> {
    Ok("news".to_owned())
}

#[utoipa::path(get, path = "/trial", responses((status = 200, description = "done")))]
#[rate_limit(key = "trial", time = "1m", count = 1, shadow = true)]
async fn trial() -> Result<String, Rejection> {
    Ok("tried".to_owned())
}

#[rate_limit(key = "job", time = "1m", count = 1, wait = "1s")]
pub(crate) async fn job() -> Result<(), Rejection> {
    Ok(())
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "shop", version = "1", description = "a shop", license(name = "MIT")),
    paths(login, search, report, users::list, orders::list, partner, trial)
)]
struct Document;

/// The document without refusals.
pub(crate) fn document() -> String {
    <Document as utoipa::OpenApi>::openapi().to_pretty_json().unwrap() + "\n"
}

pub(crate) fn routes() -> axum::Router {
    axum::Router::new()
        .route("/login", post(login))
        .route("/search", get(search))
        .route("/reports/{id}", get(report))
        .route("/users", get(users::list))
        .route("/orders", get(orders::list))
        .route("/partner", get(partner))
        .route("/trial", get(trial))
}
