//! Two handlers of the `RealWorld` application on axum and sqlx.

use super::{assert_refused, bare, outcome, send};
use axum::extract::{ConnectInfo, FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use ratelimit::{Rejection, UserId, rate_limit};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use uuid::Uuid;

#[derive(Clone)]
struct ApiContext;

#[derive(Debug)]
enum Error {
    Unauthorized,
    Anyhow(anyhow::Error),
    /// The change that the compiler asks for: "`#[rate_limit]` cannot turn a rejection into the error `Error`", with the note "if the
    /// type is yours, write `impl From<ratelimit::Rejection> for Error`".
    RateLimited(Rejection),
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Anyhow(error)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::RateLimited(rejection)
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "authentication required").into_response(),
            Self::Anyhow(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
            Self::RateLimited(rejection) => rejection.into_response(),
        }
    }
}

type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Serialize, Deserialize)]
struct UserBody<T> {
    user: T,
}

#[derive(Deserialize)]
struct LoginUser {
    email: String,
    password: String,
}

#[derive(Serialize)]
struct User {
    email: String,
}

/// Its arguments were `ctx` and the body. The first change is the argument `peer`: "`by = "ip"`: no argument of this function has
/// the address of the client", with the label "add the request, or the peer, such as `ConnectInfo<SocketAddr>` of axum or
/// `SocketAddr` of rocket". Then the compiler asks for the conversion of `Error`.
#[rate_limit(key = "login_user", count = 2, by = "ip")]
async fn login_user(
    peer: ConnectInfo<SocketAddr>,
    ctx: Extension<ApiContext>,
    Json(req): Json<UserBody<LoginUser>>,
) -> Result<Json<UserBody<User>>> {
    let (_, _) = (peer, ctx);
    if req.user.password != "right" {
        return Err(anyhow::anyhow!("wrong password").into());
    }
    Ok(Json(UserBody { user: User { email: req.user.email } }))
}

#[tokio::test]
async fn login_user_is_limited_by_address() {
    let app = Router::new().route("/login", get(login_user)).layer(Extension(ApiContext));
    let client = bare(app).await;
    let body =
        |password: &str| format!(r#"{{"user":{{"email":"ann@example.com","password":"{password}"}}}}"#);
    assert_eq!(send(&client, "/login", &body("wrong")).await.status, 500);
    assert_eq!(send(&client, "/login", &body("right")).await.body, r#"{"user":{"email":"ann@example.com"}}"#);
    assert_refused(&send(&client, "/login", &body("right")).await);
}

struct AuthUser {
    user_id: Uuid,
}

struct MaybeAuthUser(Option<AuthUser>);

impl<S: Sync> FromRequestParts<S> for MaybeAuthUser {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let Some(token) = parts.headers.get("authorization") else { return Ok(Self(None)) };
        let user_id = token.to_str().ok().and_then(|token| token.strip_prefix("Token ")?.parse().ok());
        Ok(Self(Some(AuthUser { user_id: user_id.ok_or(Error::Unauthorized)? })))
    }
}

/// The change that the compiler asks for with `by = "user"`: "no argument of this function is a user", with the note "implement
/// `ratelimit::UserId` for the type of the user".
impl UserId for MaybeAuthUser {
    type Id = Uuid;

    fn user_id(&self) -> Option<Uuid> {
        self.0.as_ref().map(|user| user.user_id)
    }
}

#[derive(Deserialize)]
struct ListArticlesQuery {
    tag: Option<String>,
}

#[derive(Serialize)]
struct MultipleArticlesBody {
    articles: Vec<String>,
}

/// The user is optional: users have a limit of their own, and everybody else is limited by address. `by = maybe_auth_user.user_id()`
/// compiles too, because an `Option<Uuid>` is an identity with the feature `uuid`; anonymous callers then get 400.
#[rate_limit(key = "articles/user", count = 2, by = "user", skip_if = maybe_auth_user.0.is_none())]
#[rate_limit(key = "articles/address", count = 1, by = "ip", skip_if = maybe_auth_user.0.is_some())]
async fn list_articles(
    peer: ConnectInfo<SocketAddr>,
    maybe_auth_user: MaybeAuthUser,
    ctx: Extension<ApiContext>,
    query: Query<ListArticlesQuery>,
) -> Result<Json<MultipleArticlesBody>> {
    let (_, _) = (peer, ctx);
    Ok(Json(MultipleArticlesBody { articles: query.0.tag.into_iter().collect() }))
}

#[rate_limit(key = "articles", count = 1, by = maybe_auth_user.user_id())]
async fn of_users_only(maybe_auth_user: MaybeAuthUser) -> Result<()> {
    let _ = maybe_auth_user;
    Ok(())
}

#[tokio::test]
async fn list_articles_is_limited_by_user_or_else_by_address() {
    let app = Router::new()
        .route("/articles", get(list_articles))
        .route("/users", post(of_users_only).get(of_users_only))
        .layer(Extension(ApiContext));
    let client = bare(app).await;
    let token = |number: u128| format!("Token {}", Uuid::from_u128(number));
    let (ann, bob) = (token(1), token(2));

    assert_eq!(client.get("/articles?tag=rust").await.body, r#"{"articles":["rust"]}"#);
    assert_refused(&client.get("/articles").await);
    for user in [&ann, &bob] {
        for status in [200, 200, 429] {
            let reply = client.get_with("/articles", &[("authorization", user)]).await;
            assert_eq!(reply.status, status, "{reply:?}");
        }
    }
    assert_eq!(client.get_with("/articles", &[("authorization", "Token x")]).await.status, 401);

    assert_eq!(client.get_with("/users", &[("authorization", &ann)]).await.status, 200);
    assert_refused(&client.get_with("/users", &[("authorization", &ann)]).await);
    assert_eq!(outcome(&client.get("/users").await), (400, None));
}
