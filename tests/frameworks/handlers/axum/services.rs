//! Handlers of four services: atuin, Svix, the Matrix authentication service, and one on loco.

use super::{assert_refused, bare, layered, outcome, send};
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;
use tracing::instrument;

trait Database: Clone + Send + Sync + 'static {
    fn password_of(&self, user: &str) -> Option<&str>;
}

#[derive(Clone)]
struct AppState<DB> {
    database: DB,
}

#[derive(Clone)]
struct OneUser;

impl Database for OneUser {
    fn password_of(&self, user: &str) -> Option<&str> {
        (user == "ann").then_some("right")
    }
}

#[derive(Deserialize)]
struct LoginRequest {
    username: String,
    password: String,
}

#[derive(Serialize)]
struct LoginResponse {
    session: String,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    reason: Cow<'a, str>,
}

struct ErrorResponseStatus<'a> {
    error: ErrorResponse<'a>,
    status: StatusCode,
}

impl ErrorResponseStatus<'static> {
    fn new(status: StatusCode, reason: &'static str) -> Self {
        Self { error: ErrorResponse { reason: reason.into() }, status }
    }
}

impl fmt::Display for ErrorResponseStatus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status, self.error.reason)
    }
}

impl IntoResponse for ErrorResponseStatus<'_> {
    fn into_response(self) -> Response {
        (self.status, Json(self.error)).into_response()
    }
}

/// The change that the compiler asks for: "`#[rate_limit]` cannot turn a rejection into the error `ErrorResponseStatus<'static>`",
/// with the note "write `impl From<ratelimit::Rejection>`". The type has a status and a JSON body; the layer adds `Retry-After`.
impl From<Rejection> for ErrorResponseStatus<'static> {
    fn from(rejection: Rejection) -> Self {
        let reason = rejection.to_string().into();
        Self { error: ErrorResponse { reason }, status: rejection.into() }
    }
}

/// atuin's login. The attribute is below `#[instrument]`, so that the span has the fields and the error of refused calls.
#[instrument(skip_all, err(level = "warn"), fields(client.ip = %addr.ip(), user.username = login.username.as_str()))]
#[rate_limit(key = "login", count = 1, by = "ip")]
async fn login<DB: Database>(
    ConnectInfo(addr): ConnectInfo<SocketAddr>,
    state: State<AppState<DB>>,
    login: Json<LoginRequest>,
) -> Result<Json<LoginResponse>, ErrorResponseStatus<'static>> {
    let Some(password) = state.database.password_of(&login.username) else {
        return Err(ErrorResponseStatus::new(StatusCode::NOT_FOUND, "user not found"));
    };
    if login.password != password {
        return Err(ErrorResponseStatus::new(StatusCode::UNAUTHORIZED, "password is not correct"));
    }
    Ok(Json(LoginResponse { session: login.username.clone() }))
}

#[tokio::test]
async fn the_login_of_atuin_is_limited() {
    let app = || Router::new().route("/", any(login::<OneUser>)).with_state(AppState { database: OneUser });
    let body = r#"{"username":"ann","password":"right"}"#;
    for (client, wait) in
        [(bare(app()).await, None), (layered(app(), RateLimitLayer::new()).await, Some("60"))]
    {
        assert_eq!(send(&client, "/", body).await.body, r#"{"session":"ann"}"#);
        let refused = send(&client, "/", body).await;
        assert_eq!(outcome(&refused), (429, wait));
        assert_eq!(refused.body, r#"{"reason":"too many requests: try again in 60 seconds"}"#);
    }
}

#[derive(Clone)]
struct SvixState {
    db: &'static str,
    queue_tx: tokio::sync::mpsc::UnboundedSender<String>,
    cache: (),
    cfg: (),
}

struct ValidatedJson<T>(T);
struct ValidatedQuery<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for ValidatedJson<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        Json::from_request(request, state)
            .await
            .map(|Json(body)| Self(body))
            .map_err(IntoResponse::into_response)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for ValidatedQuery<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let query = Query::from_request_parts(parts, state).await;
        query.map(|Query(query)| Self(query)).map_err(IntoResponse::into_response)
    }
}

mod permissions {
    pub(super) struct Organization {
        pub(super) org_id: String,
    }

    impl<S: Sync> axum::extract::FromRequestParts<S> for Organization {
        type Rejection = axum::http::StatusCode;

        async fn from_request_parts(
            parts: &mut axum::http::request::Parts,
            _: &S,
        ) -> Result<Self, Self::Rejection> {
            let org_id = parts.headers.get("authorization").and_then(|token| token.to_str().ok());
            org_id
                .map(|org_id| Self { org_id: org_id.to_owned() })
                .ok_or(axum::http::StatusCode::UNAUTHORIZED)
        }
    }
}

#[derive(Deserialize)]
struct CreateMessageQueryParams {
    #[serde(default)]
    with_content: bool,
}

#[derive(Deserialize)]
struct ApplicationPath {
    app_id: String,
}

#[derive(Deserialize)]
struct MessageIn {
    payload: String,
}

#[derive(Serialize)]
struct MessageOut {
    payload: String,
}

struct JsonStatus<const STATUS: u16, T>(T);

impl<const STATUS: u16, T: Serialize> IntoResponse for JsonStatus<STATUS, T> {
    fn into_response(self) -> Response {
        (StatusCode::from_u16(STATUS).unwrap(), Json(self.0)).into_response()
    }
}

/// Svix has one error type. The change is the same as for atuin; here the error keeps the whole answer.
struct SvixError(Response);

impl From<Rejection> for SvixError {
    fn from(rejection: Rejection) -> Self {
        Self(rejection.into_response())
    }
}

impl IntoResponse for SvixError {
    fn into_response(self) -> Response {
        self.0
    }
}

/// `by` names a binding of a pattern. Another pattern takes a reference into the state. `#[instrument]` stands in
/// place of Svix's own attribute.
#[instrument(skip_all)]
#[rate_limit(key = "create_message", count = 1, by = (org_id, app_id))]
async fn create_message(
    State(SvixState { ref db, queue_tx, cache, .. }): State<SvixState>,
    ValidatedQuery(CreateMessageQueryParams { with_content }): ValidatedQuery<CreateMessageQueryParams>,
    Path(ApplicationPath { app_id }): Path<ApplicationPath>,
    permissions::Organization { org_id }: permissions::Organization,
    ValidatedJson(data): ValidatedJson<MessageIn>,
) -> Result<JsonStatus<202, MessageOut>, SvixError> {
    let () = cache;
    let _ = queue_tx.send(format!("{db}/{org_id}/{app_id}"));
    let payload = if with_content { data.payload } else { String::new() };
    Ok(JsonStatus(MessageOut { payload }))
}

#[tokio::test]
async fn svix_messages_are_limited_by_organization_and_application() {
    let (queue_tx, mut queue) = tokio::sync::mpsc::unbounded_channel();
    let state = SvixState { db: "db", queue_tx, cache: (), cfg: () };
    let () = state.cfg;
    let client = bare(Router::new().route("/{app_id}", any(create_message)).with_state(state)).await;
    let create = async |path: &str| {
        let request =
            client.request(path).header("authorization", "org").header("content-type", "application/json");
        crate::harness::client::Reply::read(request.body(r#"{"payload":"x"}"#).send().await.unwrap()).await
    };
    let created = create("/app?with_content=true").await;
    assert_eq!((created.status, created.body.as_str()), (202, r#"{"payload":"x"}"#));
    assert_refused(&create("/app").await);
    assert_eq!(create("/other").await.status, 202);
    assert_eq!(queue.recv().await.as_deref(), Some("db/org/app"));
    assert_eq!(queue.recv().await.as_deref(), Some("db/org/other"));
}
