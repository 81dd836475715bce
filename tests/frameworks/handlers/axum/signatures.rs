//! Signatures of real axum applications, with stand-ins for their types. Each comment says what had to change, and which
//! message said so. They only have to compile, and [`routes`] proves that axum takes them as handlers.

#![allow(dead_code, clippy::unused_async, reason = "only compiled")]

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, FromRef, FromRequest, FromRequestParts, OptionalFromRequestParts};
use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Form, Json, Router, debug_handler};
use futures_util::{Stream, stream};
use ratelimit::{ClientIp, Rejection, UserId, rate_limit};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tracing::instrument;
use utoipa::{IntoParams, OpenApi, ToSchema};
use uuid::Uuid;

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
        }

        impl<S: Sync> OptionalFromRequestParts<S> for $name {
            type Rejection = Infallible;

            async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
                Ok(None)
            }
        })*
    };
}

extractors! {
    SessionUser { id: String }
    MaybeAuthUser { user: Option<Uuid> }
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

/// An error of another crate, which a service cannot give another conversion.
mod loco {
    pub(super) struct Error;

    impl axum::response::IntoResponse for Error {
        fn into_response(self) -> axum::response::Response {
            "refused".into_response()
        }
    }

    pub(super) type Result<T, E = Error> = std::result::Result<T, E>;
}

/// axum, dependency injection: "cannot turn a rejection into `Json<User>`": `fallible`. The type parameter needs nothing.
#[rate_limit(key = "create_user", count = 1, by = params.name, fallible)]
async fn create_user_generic<T: Clone>(
    State(state): State<AppState<T>>,
    Json(params): Json<Fields>,
) -> Json<Fields> {
    drop(state.db.clone());
    Json(params)
}

/// axum, `OAuth`: compiles as it stands with `UserId` for the type of the session. An `Option` of a user is a user.
#[rate_limit(key = "index", count = 1, by = "user")]
async fn index(user: Option<SessionUser>) -> impl IntoResponse {
    user.map_or_else(String::new, |user| user.id)
}

impl UserId for SessionUser {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.id.clone())
    }
}

/// axum, key-value store: it returns nothing: `fallible`. The obvious `on_limit = drop` causes a warning.
#[rate_limit(key = "kv_set:{key}", count = 1, fallible)]
async fn kv_set(Path(key): Path<String>, State(state): State<AppState>, bytes: Bytes) {
    let _ = (key, state, bytes);
}

/// axum, reverse proxy: compiles as it stands. Its error type, a status, cannot carry `Retry-After`, which the layer adds.
#[rate_limit(key = "reverse_proxy", count = 1, by = "ip")]
async fn reverse_proxy(State(_): State<AppState>, mut req: Request) -> Result<Response, StatusCode> {
    *req.uri_mut() = req.uri().path().parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(Response::new(req.into_body()))
}

/// axum, chat: compiles as it stands. A permit would be returned at the upgrade, and the compiler warns about one.
#[rate_limit(key = "ws", count = 1, by = "ip")]
async fn ws_handler(
    ws: WebSocketUpgrade,
    user_agent: Option<UserAgent>,
    ConnectInfo(addr): ConnectInfo<SocketAddr>,
) -> impl IntoResponse {
    let _ = (user_agent, addr);
    ws.on_upgrade(async |_| {})
}

/// axum, events: "cannot turn a rejection into `Sse<_>`": `fallible`.
#[rate_limit(key = "sse", count = 1, by = "ip", fallible)]
async fn sse_handler(
    ConnectInfo(_): ConnectInfo<SocketAddr>,
    UserAgent {}: UserAgent,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(stream::empty())
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

/// A login on loco: "if it is a type of another crate, and the function returns a response, write `on_limit = ..`".
#[debug_handler]
#[rate_limit(key = "login", count = 1, by = params.name, on_limit = |rejection| Ok(rejection.into_response()))]
async fn loco_login(State(ctx): State<AppState>, Json(params): Json<Fields>) -> loco::Result<Response> {
    let ((), _) = (ctx.db, params);
    Err(loco::Error)
}

/// `RealWorld`: the argument `peer` was added for `by = "ip"`: "add the request, or the peer, such as `ConnectInfo<SocketAddr>`".
#[rate_limit(key = "login_user", count = 2, by = "ip")]
async fn login_user(
    peer: ConnectInfo<SocketAddr>,
    ctx: Extension<AppState>,
    Json(req): Json<Fields>,
) -> Result<Json<Fields>, Error<'static>> {
    drop((peer, ctx));
    Ok(Json(req))
}

/// "implement `ratelimit::UserId` for the type of the user".
impl UserId for MaybeAuthUser {
    type Id = Uuid;

    fn user_id(&self) -> Option<Uuid> {
        self.user
    }
}

/// `RealWorld`: users have a limit of their own, and everybody else is limited by address.
#[rate_limit(key = "articles/user", count = 2, by = "user", skip_if = maybe_auth_user.user.is_none())]
#[rate_limit(key = "articles/address", count = 1, by = "ip", skip_if = maybe_auth_user.user.is_some())]
#[rate_limit(key = "articles", count = 1, by = maybe_auth_user.user_id())]
async fn list_articles(
    peer: ConnectInfo<SocketAddr>,
    maybe_auth_user: MaybeAuthUser,
    query: Query<Fields>,
) -> Result<Json<Fields>, Error<'static>> {
    let _ = (peer, maybe_auth_user);
    Ok(Json(query.0))
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

/// crates.io: compiles as it stands, because `Response` can report a refusal.
#[utoipa::path(get, path = "/{name}/readme", params(CratePath), responses((status = 302, description = "the file")))]
#[rate_limit(key = "readme", count = 1, by = "ip")]
async fn get_version_readme(app: CratesState, path: CratePath, req: Parts) -> Response {
    let _ = (app, req);
    path.name.into_response()
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
#[openapi(paths(create_todo, mark_done, update_crate, get_version_readme))]
struct ApiDoc;

/// The attribute leaves what `#[utoipa::path]` above it has written.
#[test]
fn limited_handlers_are_documented() {
    let paths = ApiDoc::openapi().paths.paths;
    assert!(["/todo", "/todo/{id}", "/api/v1/crates/{name}"].iter().all(|path| paths.contains_key(*path)));
}

fn routes() -> [Router; 4] {
    let (state, svix) = (AppState { db: () }, SvixState { db: "db", cache: () });
    let app = Router::new()
        .route("/users", any(create_user_generic::<()>))
        .route("/", any(index))
        .route("/{key}", any(kv_set))
        .route("/proxy", any(reverse_proxy))
        .route("/ws", any(ws_handler))
        .route("/sse", any(sse_handler))
        .route("/login", any(login::<()>))
        .route("/post", any(post))
        .route("/loco", any(loco_login))
        .route("/user", any(login_user))
        .route("/articles", any(list_articles));
    let crates = Router::new()
        .route("/crates/{name}", any(update_crate))
        .route("/crates/{name}/readme", any(get_version_readme));
    let todos = Router::new().route("/todo", any(create_todo)).route("/todo/{id}", any(mark_done));
    [
        app.with_state(state.clone()),
        Router::new().route("/{app_id}", any(create_message)).with_state(svix),
        todos.with_state(Arc::new(state)),
        crates.with_state(CratesState(Arc::default())),
    ]
}
