//! Signatures of real axum applications that no other test has, with stand-ins for their types. Each comment says what had to
//! change, and which message said so. They only have to compile, and [`routes`] proves that axum takes them as handlers.

#![allow(dead_code, clippy::unused_async, reason = "only compiled")]

use axum::extract::{ConnectInfo, FromRef, FromRequest, FromRequestParts};
use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Form, Json, Router};
use ratelimit::{ClientIp, Rejection, rate_limit};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tracing::instrument;
use utoipa::{IntoParams, OpenApi, ToSchema};

/// The state of an application, and the part of a state that a handler takes.
#[derive(Clone)]
struct AppState<DB = ()> {
    db: DB,
}

#[derive(Clone)]
struct Part;

impl FromRef<AppState> for Part {
    fn from_ref(_: &AppState) -> Self {
        Self
    }
}

/// Declares extractors that only take up room in a signature.
macro_rules! extractors {
    ($($name:ident $fields:tt)*) => {
        $(struct $name $fields

        impl<S: Sync> FromRequestParts<S> for $name {
            type Rejection = Response;

            async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Response> {
                Err(StatusCode::NOT_FOUND.into_response())
            }
        })*
    };
}

extractors! {
    Organization { org_id: String }
    RequesterFingerprint { ip: Option<IpAddr> }
    BoxRng {} BoxClock {} PreferredLanguage {} BoxRepository {} BoundActivityTracker {} CookieJar {} UserAgent {}
}

struct Validated<T>(T);

impl<S: Send + Sync, T: for<'de> Deserialize<'de>> FromRequest<S> for Validated<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let json = Json::from_request(request, state).await;
        json.map(|Json(body)| Self(body)).map_err(IntoResponse::into_response)
    }
}

#[derive(Clone, Deserialize, IntoParams, Serialize, ToSchema)]
struct Fields {
    name: String,
    id: i32,
}

/// The errors of the applications, most of which had to take a rejection: "if the type is yours, write
/// `impl From<ratelimit::Rejection> for Error`".
struct Error<'a>(&'a str);

impl From<Rejection> for Error<'static> {
    fn from(_: Rejection) -> Self {
        Self("too many requests")
    }
}

impl IntoResponse for Error<'_> {
    fn into_response(self) -> Response {
        self.0.to_owned().into_response()
    }
}

/// Takes every error that can be printed, also a rejection.
struct FancyError(String);

impl<E: std::fmt::Debug + std::fmt::Display> From<E> for FancyError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl IntoResponse for FancyError {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// atuin: its error needs `From<Rejection>`. The attribute is below `#[instrument]`, so that the span has the fields and the
/// error of refused calls.
#[instrument(skip_all, fields(client.ip = %addr.ip(), user.username = login.name.as_str()))]
#[rate_limit(key = "login", count = 1, by = "ip")]
async fn login<DB: Clone + Send + Sync + 'static>(
    ConnectInfo(addr): ConnectInfo<SocketAddr>,
    state: State<AppState<DB>>,
    login: Json<Fields>,
) -> Result<Json<Fields>, Error<'static>> {
    drop(state);
    Ok(login)
}

#[derive(Clone)]
struct SvixState {
    db: &'static str,
    cache: (),
}

/// Svix: `by` names bindings of patterns. Another pattern takes a reference into the state.
#[instrument(skip_all)]
#[rate_limit(key = "create_message", count = 1, by = (org_id, name))]
async fn create_message(
    State(SvixState { ref db, .. }): State<SvixState>,
    Query(Fields { id, .. }): Query<Fields>,
    Path(Fields { name, .. }): Path<Fields>,
    Organization { org_id }: Organization,
    Validated(data): Validated<Fields>,
) -> Result<(StatusCode, Json<Fields>), Error<'static>> {
    let _ = (db, id, name, org_id);
    Ok((StatusCode::ACCEPTED, Json(data)))
}

/// The change that the compiler asks for with `by = "ip"`: "a type of your own that knows the client can implement
/// `ratelimit::ClientIp`".
impl ClientIp for RequesterFingerprint {
    fn client_ip(&self) -> Option<IpAddr> {
        self.ip
    }
}

/// Matrix authentication service: 16 arguments, the most that axum takes, so none can be added. Its error swallows refusals;
/// the warning of the layer names `on_limit`.
#[instrument(name = "handlers.views.login.post", skip_all, err)]
#[rate_limit(key = "login", count = 1, by = "ip", on_limit = |rejection| Ok(rejection.into_response()))]
async fn post(
    mut rng: BoxRng,
    clock: BoxClock,
    _: PreferredLanguage,
    State(_): State<Part>,
    State(_): State<Part>,
    State(_): State<Part>,
    State(_): State<Part>,
    State(_): State<Part>,
    State(_): State<Part>,
    mut repo: BoxRepository,
    activity_tracker: BoundActivityTracker,
    requester: RequesterFingerprint,
    Query(query): Query<Fields>,
    cookie_jar: CookieJar,
    user_agent: UserAgent,
    Form(form): Form<Fields>,
) -> Result<Response, FancyError> {
    let (_, _, _) = (&mut rng, &mut repo, requester.ip);
    drop((clock, activity_tracker, cookie_jar, user_agent, query));
    Ok(form.name.into_response())
}

impl std::fmt::Display for FancyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
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

/// crates.io: the address of the load balancer is in `Parts`, and that of the client in the type of an extension.
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
) -> Result<Json<Fields>, FancyError> {
    let _ = (app, path.name, req, real_ip);
    Ok(Json(body))
}

/// utoipa: compiles as it stands: what it returns becomes `Result<impl IntoResponse, Rejection>`.
#[utoipa::path(post, path = "/todo", responses((status = 201, body = Fields), (status = 429)))]
#[rate_limit(key = "create_todo", count = 2, by = "global")]
async fn create_todo(State(store): State<Arc<AppState>>, Json(todo): Json<Fields>) -> impl IntoResponse {
    drop(store);
    (StatusCode::CREATED, Json(todo))
}

/// utoipa: "cannot turn a rejection into `StatusCode`": `fallible`.
#[utoipa::path(put, path = "/todo/{id}", params(("id" = i32, Path)), responses((status = 200), (status = 429)))]
#[rate_limit(key = "mark_done", count = 2, by = "header:todo_apikey", fallible)]
async fn mark_done(Path(id): Path<i32>, State(_): State<Arc<AppState>>, headers: HeaderMap) -> StatusCode {
    let _ = (id, headers);
    StatusCode::OK
}

#[derive(OpenApi)]
#[openapi(paths(create_todo, mark_done, update_crate))]
struct ApiDoc;

/// The attribute leaves what `#[utoipa::path]` above it has written.
#[test]
fn limited_handlers_are_documented() {
    let paths = ApiDoc::openapi().paths.paths;
    assert!(["/todo", "/todo/{id}", "/api/v1/crates/{name}"].iter().all(|path| paths.contains_key(*path)));
}

fn routes() -> [Router; 4] {
    let (state, svix) = (AppState { db: () }, SvixState { db: "db", cache: () });
    let todos = Router::new().route("/todo", any(create_todo)).route("/todo/{id}", any(mark_done));
    [
        Router::new().route("/login", any(login::<()>)).route("/post", any(post)).with_state(state.clone()),
        Router::new().route("/{app_id}", any(create_message)).with_state(svix),
        todos.with_state(Arc::new(state)),
        Router::new().route("/crates/{name}", any(update_crate)).with_state(CratesState(Arc::default())),
    ]
}
