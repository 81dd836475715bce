//! A service on axum with a document by aide, whose operations have the ids that the routes set.

use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use aide::openapi::{Info, OpenApi};
use axum::Json;
use axum::extract::{ConnectInfo, Path};
use axum::response::Response;
use ratelimit::rate_limit;
use schemars::JsonSchema;
use std::net::SocketAddr;

#[derive(serde::Serialize, JsonSchema)]
struct Hit {
    id: u64,
}

#[derive(serde::Deserialize, JsonSchema)]
struct Report {
    id: u64,
}

#[rate_limit(key = "login", time = "1m", count = 2, by = "ip")]
async fn login(_: ConnectInfo<SocketAddr>) -> Response {
    Response::default()
}

#[rate_limit(key = "report:{report.id}", time = "1m", count = 2, on_limit = |rejection| Err(rejection.into()))]
async fn report(Path(report): Path<Report>) -> Result<Json<Hit>, Response> {
    Ok(Json(Hit { id: report.id }))
}

/// Both modules have a limited function `list`, so that the ids need the names of the modules.
mod users {
    #[ratelimit::rate_limit(key = "users", time = "1m", count = 2, by = "global")]
    pub(super) async fn list() -> axum::response::Response {
        axum::response::Response::new("ann, bob".into())
    }
}

mod orders {
    #[ratelimit::rate_limit(key = "orders", time = "1m", count = 2, by = "global")]
    pub(super) async fn list() -> axum::response::Response {
        axum::response::Response::new("no orders".into())
    }
}

async fn health() -> &'static str {
    "up"
}

/// The service, and its document without refusals.
pub fn service() -> (axum::Router, String) {
    let mut document = OpenApi {
        info: Info { title: "shop".into(), version: "1".into(), ..Info::default() },
        ..OpenApi::default()
    };
    let routes = ApiRouter::new()
        .api_route("/login", post_with(login, |operation| operation.id("login").response::<204, ()>()))
        .api_route(
            "/reports/{id}",
            get_with(report, |operation| operation.id("report").response::<200, Json<Hit>>()),
        )
        .api_route("/users", get_with(users::list, |operation| operation.id("users_list")))
        .api_route("/orders", get_with(orders::list, |operation| operation.id("orders-list")))
        .api_route("/health", get_with(health, |operation| operation.id("health")))
        .finish_api(&mut document);
    (routes, serde_json::to_string_pretty(&document).unwrap() + "\n")
}
