//! Handlers of the examples of axum: dependency injection, OAuth, a key-value store, and a reverse proxy.

use super::{assert_refused, bare, layered, outcome, send};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use ratelimit::{RateLimitLayer, UserId, rate_limit};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};

trait UserRepo: Send + Sync {
    fn save_user(&self, user: &User);
}

#[derive(Clone)]
struct AppStateGeneric<T> {
    user_repo: T,
}

#[derive(Clone, Serialize)]
struct User {
    name: String,
}

#[derive(Deserialize)]
struct UserParams {
    name: String,
}

/// It returns `Json<User>`, which cannot report a refusal: "`#[rate_limit]` cannot turn a rejection into `Json<User>`", with the note
/// "write `fallible`". The type parameter needs nothing.
#[rate_limit(key = "create_user", count = 1, by = params.name, fallible)]
async fn create_user_generic<T>(
    State(state): State<AppStateGeneric<T>>,
    Json(params): Json<UserParams>,
) -> Json<User>
where
    T: UserRepo,
{
    let user = User { name: params.name };
    state.user_repo.save_user(&user);
    Json(user)
}

#[derive(Clone, Default)]
struct InMemoryUserRepo(Arc<RwLock<Vec<User>>>);

impl UserRepo for InMemoryUserRepo {
    fn save_user(&self, user: &User) {
        self.0.write().unwrap().push(user.clone());
    }
}

#[tokio::test]
async fn create_user_is_limited_by_a_field_of_its_body() {
    let user_repo = InMemoryUserRepo::default();
    let app = Router::new()
        .route("/users", any(create_user_generic::<InMemoryUserRepo>))
        .with_state(AppStateGeneric { user_repo: user_repo.clone() });
    let client = bare(app).await;
    assert_eq!(send(&client, "/users", r#"{"name":"ann"}"#).await.body, r#"{"name":"ann"}"#);
    assert_refused(&send(&client, "/users", r#"{"name":"ann"}"#).await);
    assert_eq!(send(&client, "/users", r#"{"name":"bob"}"#).await.status, 200);
    assert_eq!(user_repo.0.read().unwrap().len(), 2, "a refused call does not run");
}

struct SessionUser {
    id: String,
}

struct AuthRedirect;

impl IntoResponse for AuthRedirect {
    fn into_response(self) -> Response {
        Redirect::temporary("/auth/discord").into_response()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SessionUser {
    type Rejection = AuthRedirect;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AuthRedirect> {
        let session = parts.headers.get("cookie").ok_or(AuthRedirect)?;
        Ok(Self { id: session.to_str().map_err(|_| AuthRedirect)?.to_owned() })
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for SessionUser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Infallible> {
        Ok(<Self as FromRequestParts<S>>::from_request_parts(parts, state).await.ok())
    }
}

/// An `Option` of a user is a user, so this is all that `by = "user"` needs.
impl UserId for SessionUser {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.id.clone())
    }
}

/// Compiles as it stands. A caller without a session gets 400, because callers without an identity share no limit.
#[rate_limit(key = "index", count = 1, by = "user")]
async fn index(user: Option<SessionUser>) -> impl IntoResponse {
    user.map_or_else(|| "not logged in".to_owned(), |user| format!("hello, {}", user.id))
}

/// With a second attribute, callers without a session are limited by address. It needs the address among the arguments.
#[rate_limit(key = "index/user", count = 2, by = "user", skip_if = user.is_none())]
#[rate_limit(key = "index/address", count = 1, by = "ip", skip_if = user.is_some())]
async fn index_for_all(_: ConnectInfo<SocketAddr>, user: Option<SessionUser>) -> impl IntoResponse {
    user.map_or_else(|| "not logged in".to_owned(), |user| format!("hello, {}", user.id))
}

#[tokio::test]
async fn an_optional_user_is_limited_by_user() {
    let client = bare(Router::new().route("/", get(index)).route("/all", get(index_for_all))).await;
    assert_eq!(client.get_with("/", &[("cookie", "ann")]).await.body, "hello, ann");
    assert_refused(&client.get_with("/", &[("cookie", "ann")]).await);
    assert_eq!(outcome(&client.get("/").await), (400, None));

    assert_eq!(client.get("/all").await.body, "not logged in");
    assert_refused(&client.get("/all").await);
    assert_eq!(client.get_with("/all", &[("cookie", "ann")]).await.body, "hello, ann");
    assert_eq!(client.get_with("/all", &[("cookie", "ann")]).await.body, "hello, ann");
    assert_refused(&client.get_with("/all", &[("cookie", "ann")]).await);
}

type SharedState = Arc<RwLock<HashMap<String, Bytes>>>;

/// It returns nothing: "`#[rate_limit]` cannot turn a rejection into `()`", with the note "write `fallible`". The obvious
/// `on_limit = drop` causes a warning, because the client would see 200.
#[rate_limit(key = "kv_set:{key}", count = 1, fallible)]
async fn kv_set(Path(key): Path<String>, State(state): State<SharedState>, bytes: Bytes) {
    state.write().unwrap().insert(key, bytes);
}

#[tokio::test]
async fn kv_set_is_limited_by_a_placeholder_of_its_path() {
    let state = SharedState::default();
    let client = bare(Router::new().route("/{key}", any(kv_set)).with_state(state.clone())).await;
    assert_eq!(send(&client, "/a", "1").await.status, 200);
    assert_refused(&send(&client, "/a", "2").await);
    assert_eq!(send(&client, "/b", "3").await.status, 200);
    assert_eq!(state.read().unwrap()["a"], "1");
}

/// A stand-in for the HTTP client of the proxy.
#[derive(Clone)]
struct Upstream;

impl Upstream {
    async fn request(&self, request: Request) -> Result<Response, Infallible> {
        Ok(request.uri().to_string().into_response())
    }
}

/// Compiles as it stands. Its error type, a status, cannot carry `Retry-After`, which the layer adds.
#[rate_limit(key = "reverse_proxy", count = 1, by = "ip")]
async fn reverse_proxy(State(client): State<Upstream>, mut req: Request) -> Result<Response, StatusCode> {
    *req.uri_mut() = req.uri().path().parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    client.request(req).await.map_err(|_| StatusCode::BAD_REQUEST)
}

#[tokio::test]
async fn a_status_as_an_error_needs_the_layer_for_retry_after() {
    let app = || Router::new().route("/", get(reverse_proxy)).with_state(Upstream);
    for (client, wait) in
        [(bare(app()).await, None), (layered(app(), RateLimitLayer::new()).await, Some("60"))]
    {
        assert_eq!(client.get("/?a").await.body, "/");
        assert_eq!(outcome(&client.get("/?a").await), (429, wait));
    }
}
