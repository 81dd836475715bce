//! Handler signatures of real axum applications that no other test contains, with stand-ins for their types. Each comment
//! says what had to change, and which message asked for the change. The handlers only have to compile. [`routes`] proves
//! that axum accepts them.

#![allow(dead_code, clippy::unused_async, reason = "only compiled")]

use crate::harness::contract::AppError;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Form, Json, Router};
use ratelimit::{ClientIp, rate_limit};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::sync::Arc;
use tracing::instrument;
use utoipa::{IntoParams, OpenApi, ToSchema};

/// The state of an application.
#[derive(Clone)]
struct AppState {
    db: &'static str,
    cache: (),
}

/// An extractor of the application, which knows the client.
struct Requester {
    ip: Option<IpAddr>,
}

impl<S: Sync> FromRequestParts<S> for Requester {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        Err(StatusCode::NOT_FOUND)
    }
}

/// The change that the compiler asks for with `by = "ip"`: "a type of your own that knows the client can implement
/// `ratelimit::ClientIp`".
impl ClientIp for Requester {
    fn client_ip(&self) -> Option<IpAddr> {
        self.ip
    }
}

#[derive(Clone, Deserialize, IntoParams, Serialize, ToSchema)]
struct Fields {
    name: String,
    id: i32,
}

/// Svix: `by` uses bindings of patterns. Another pattern borrows from the state.
#[instrument(skip_all)]
#[rate_limit(key = "create_message", count = 1, by = (id, name))]
async fn create_message(
    State(AppState { ref db, .. }): State<AppState>,
    Query(Fields { id, .. }): Query<Fields>,
    Path(Fields { name, .. }): Path<Fields>,
    Json(data): Json<Fields>,
) -> Result<(StatusCode, Json<Fields>), AppError> {
    let _ = (db, id, name);
    Ok((StatusCode::ACCEPTED, Json(data)))
}

/// Matrix authentication service: the handler has 16 arguments, the most that axum accepts, so no argument can be added. Its
/// error type swallows refusals, and the layer's warning about this names `on_limit`.
#[instrument(name = "handlers.views.login.post", skip_all, err)]
#[rate_limit(key = "login", count = 1, by = "ip", on_limit = |rejection| Ok(rejection.into_response()))]
async fn post(
    mut state: State<AppState>,
    clock: HeaderMap,
    _: HeaderMap,
    State(_): State<AppState>,
    State(_): State<AppState>,
    State(_): State<AppState>,
    State(_): State<AppState>,
    State(_): State<AppState>,
    State(_): State<AppState>,
    mut repo: HeaderMap,
    activity_tracker: HeaderMap,
    requester: Requester,
    Query(query): Query<Fields>,
    cookie_jar: HeaderMap,
    user_agent: HeaderMap,
    Form(form): Form<Fields>,
) -> Result<Response, AppError> {
    let (_, _, _) = (&mut state, &mut repo, requester.ip);
    drop((clock, activity_tracker, cookie_jar, user_agent, query));
    Ok(form.name.into_response())
}

#[derive(Deserialize, FromRequestParts, IntoParams)]
#[from_request(via(Path))]
#[into_params(parameter_in = Path)]
struct CratePath {
    name: String,
}

#[derive(Clone, FromRequestParts)]
#[from_request(via(State))]
struct CratesState(Arc<()>);

#[derive(Clone, Copy)]
struct RealIp(IpAddr);

/// crates.io: `Parts` contains the address of the load balancer, and the type of an extension contains the client's address.
#[utoipa::path(
    patch,
    path = "/api/v1/crates/{name}",
    params(CratePath),
    request_body = inline(Fields),
    responses((status = 200, body = inline(Fields))),
)]
#[rate_limit(key = "update_crate", count = 1, by = "ip")]
#[rate_limit(key = "update_crate/value", count = 1, by = real_ip.0)]
async fn update_crate(
    app: CratesState,
    path: CratePath,
    req: Parts,
    Extension(real_ip): Extension<RealIp>,
    Json(body): Json<Fields>,
) -> Result<Json<Fields>, AppError> {
    let _ = (app, path.name, req, real_ip);
    Ok(Json(body))
}

/// utoipa: compiles without a change. The return type becomes `Result<impl IntoResponse, Rejection>`.
#[utoipa::path(post, path = "/todo", responses((status = 201, body = Fields), (status = 429)))]
#[rate_limit(key = "create_todo", count = 2, by = "global")]
async fn create_todo(State(store): State<AppState>, Json(todo): Json<Fields>) -> impl IntoResponse {
    let _ = store;
    (StatusCode::CREATED, Json(todo))
}

/// utoipa: the compiler says "cannot turn a rejection into `StatusCode`", so `fallible` was added.
#[utoipa::path(put, path = "/todo/{id}", params(("id" = i32, Path)), responses((status = 200), (status = 429)))]
#[rate_limit(key = "mark_done", count = 2, by = "header:todo_apikey", fallible)]
async fn mark_done(Path(id): Path<i32>, State(_): State<AppState>, headers: HeaderMap) -> StatusCode {
    let _ = (id, headers);
    StatusCode::OK
}

#[derive(OpenApi)]
#[openapi(paths(create_todo, mark_done, update_crate))]
struct ApiDoc;

/// The limit does not change the documentation that `#[utoipa::path]` above it writes.
#[test]
fn limited_handlers_are_documented() {
    let paths = ApiDoc::openapi().paths.paths;
    assert!(["/todo", "/todo/{id}", "/api/v1/crates/{name}"].iter().all(|path| paths.contains_key(*path)));
}

fn routes() -> [Router; 2] {
    let routes = Router::new().route("/post", any(post)).route("/{app_id}", any(create_message));
    let routes = routes.route("/todo", any(create_todo)).route("/todo/{id}", any(mark_done));
    [
        routes.with_state(AppState { db: "db", cache: () }),
        Router::new().route("/crates/{name}", any(update_crate)).with_state(CratesState(Arc::default())),
    ]
}
