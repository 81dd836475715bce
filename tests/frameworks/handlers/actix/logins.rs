//! Logins, which are limited by address and by account.

use super::{assert_refused, client, client_in, post_json};
use crate::harness::client::Reply;
use actix_web::body::BoxBody;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use actix_web::web::{self, Data, Form, Json, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, ResponseError, post};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::{Ready, ready};

#[derive(Deserialize)]
struct Login {
    username_or_email: String,
}

#[derive(Serialize)]
struct LoginResponse {
    jwt: Option<String>,
}

struct LemmyContext;

enum LemmyErrorType {
    IncorrectLogin,
    Unknown,
}

struct LemmyError {
    error_type: LemmyErrorType,
    inner: Box<dyn Error + Send + Sync>,
}

type LemmyResult<T> = Result<T, LemmyError>;

/// It accepts a rejection like any other error, and says 400.
impl<T: Into<Box<dyn Error + Send + Sync>>> From<T> for LemmyError {
    fn from(error: T) -> Self {
        let inner = error.into();
        Self { error_type: LemmyErrorType::Unknown, inner }
    }
}

impl fmt::Debug for LemmyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl fmt::Display for LemmyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner, f)
    }
}

impl ResponseError for LemmyError {
    fn status_code(&self) -> StatusCode {
        match self.error_type {
            LemmyErrorType::IncorrectLogin => StatusCode::UNAUTHORIZED,
            LemmyErrorType::Unknown => StatusCode::BAD_REQUEST,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let error = match &self.error_type {
            LemmyErrorType::IncorrectLogin => "incorrect_login",
            LemmyErrorType::Unknown => "unknown",
        };
        HttpResponse::build(self.status_code()).json(json!({ "error": error }))
    }
}

/// lemmy: the login, whose error type accepts every other error, and answers 400. Nothing has to change for a limit. The status is
/// right with `RateLimitLayer::correct_status(true)`, or if `status_code` asks `Rejection::find(&*self.inner)` first.
#[rate_limit(key = "lemmy login", time = "1m", count = 1, by = "ip")]
async fn login(
    Json(data): Json<Login>,
    _req: HttpRequest,
    _context: Data<LemmyContext>,
) -> LemmyResult<Json<LoginResponse>> {
    if data.username_or_email.is_empty() {
        let inner = "no name".into();
        return Err(LemmyError { error_type: LemmyErrorType::IncorrectLogin, inner });
    }
    Ok(Json(LoginResponse { jwt: Some(data.username_or_email) }))
}

fn lemmy(config: &mut ServiceConfig) {
    config.app_data(Data::new(LemmyContext)).route("/login", web::post().to(login));
}

#[tokio::test]
async fn lemmy_login() {
    for (corrects, status) in [(false, 400), (true, 429)] {
        let client = client_in(RateLimitLayer::new().correct_status(corrects), lemmy);
        let login =
            async |name: &str| post_json(&client, "/login", &json!({ "username_or_email": name })).await;
        assert_eq!(login("").await.status, 401);
        let refused = login("ann").await;
        assert_eq!((refused.status, refused.body.as_str()), (status, r#"{"error":"unknown"}"#));
        assert!(refused.header("retry-after").is_some() && refused.header("ratelimit").is_some());
    }
}

#[derive(Debug)]
struct ErrorResponse {
    status: StatusCode,
    message: String,
}

impl fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ResponseError for ErrorResponse {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status).json(json!({ "message": self.message }))
    }
}

/// The change that the compiler asks for. The layer adds `Retry-After`.
impl From<Rejection> for ErrorResponse {
    fn from(rejection: Rejection) -> Self {
        Self { status: rejection.status_code(), message: rejection.to_string() }
    }
}

struct ReqPrincipal;

impl FromRequest for ReqPrincipal {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

#[derive(Deserialize)]
struct LoginRequest {
    email: String,
}

struct AppState;

/// rauthy: the login, limited for each account and each address. `#[utoipa::path]`, which stands above `#[post]`, is left out.
/// Its error type needs `From<Rejection>`.
#[post("/oidc/authorize")]
#[rate_limit(key = "authorize", time = "1m", count = 1, by = payload.email)]
#[rate_limit(key = "authorize", time = "1h", count = 100, by = "ip")]
async fn post_authorize(
    _data: web::Data<AppState>,
    _req: HttpRequest,
    Json(payload): Json<LoginRequest>,
    _principal: ReqPrincipal,
) -> Result<HttpResponse, ErrorResponse> {
    Ok(HttpResponse::Accepted().insert_header((LOCATION, payload.email)).finish())
}

#[tokio::test]
async fn rauthy_post_authorize() {
    let client = client(|config| {
        config.app_data(Data::new(AppState)).service(post_authorize);
    });
    let login = async |email: &str| post_json(&client, "/oidc/authorize", &json!({ "email": email })).await;
    for email in ["ann@example.org", "bob@example.org"] {
        let admitted = login(email).await;
        assert_eq!((admitted.status, admitted.header("location")), (202, Some(email)));
        let refused = login(email).await;
        assert_refused(&refused);
        assert!(refused.body.starts_with(r#"{"message":"too many requests"#), "{refused:?}");
    }
}

#[derive(Deserialize)]
struct DeviceGrantRequest {
    client_id: String,
}

/// What OAuth 2.0 clients understand.
fn slow_down(rejection: Rejection) -> HttpResponse {
    let body = BoxBody::new(json!({ "error": "slow_down" }).to_string());
    let mut response = HttpResponse::from(rejection).set_body(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// rauthy: the start of a device grant, which answers errors as OAuth 2.0 wants. Its body decided about the limit by itself.
#[post("/oidc/device")]
#[rate_limit(key = "device", time = "1m", count = 1, by = "ip", on_limit = slow_down)]
async fn post_device_auth(_req: HttpRequest, Form(payload): Form<DeviceGrantRequest>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "device_code": payload.client_id }))
}

#[tokio::test]
async fn rauthy_post_device_auth() {
    let client = client(|config| {
        config.service(post_device_auth);
    });
    let grant = async || {
        let request = client.post("/oidc/device").form(&[("client_id", "tv")]);
        Reply::read(request.send().await.unwrap()).await
    };
    assert_eq!(grant().await.body, r#"{"device_code":"tv"}"#);
    let refused = grant().await;
    assert_refused(&refused);
    assert_eq!(refused.body, r#"{"error":"slow_down"}"#);
}
