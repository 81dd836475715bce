//! Handlers whose errors are types of the framework or accept errors by a trait.

use super::{assert_refused, client, post_json};
use crate::harness::client::Reply;
use actix_web::dev::Payload;
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::web::{self, Data, Json, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use ratelimit::{Rejection, rate_limit};
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::{Future, Ready, ready};
use std::marker::PhantomData;
use std::pin::Pin;

mod actions {
    pub(super) const SEARCH: u8 = 1;
}

struct ActionPolicy<const ACTION: u8>;

/// Access to data, for whom the policy permits it.
struct GuardedData<P, D> {
    data: D,
    policy: PhantomData<P>,
}

impl<const ACTION: u8, D: FromRequest + 'static> FromRequest for GuardedData<ActionPolicy<ACTION>, D> {
    type Error = D::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, D::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let data = D::from_request(request, payload);
        Box::pin(async { Ok(Self { data: data.await?, policy: PhantomData }) })
    }
}

/// JSON whose errors are of type `E`.
struct AwebJson<T, E>(T, PhantomData<E>);

impl<T: for<'de> Deserialize<'de> + 'static, E> FromRequest for AwebJson<T, E> {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = Json::<T>::from_request(request, payload);
        Box::pin(async { Ok(Self(json.await?.into_inner(), PhantomData)) })
    }
}

struct DeserrJsonError;
struct IndexScheduler;
struct SearchQueue;
struct Analytics;

#[derive(Deserialize)]
struct SearchQuery {
    q: String,
}

/// An error that has a status.
trait ErrorCode: Error {
    fn http(&self) -> StatusCode;
}

#[derive(Debug)]
struct ResponseError {
    code: StatusCode,
    message: String,
}

impl<T: ErrorCode> From<T> for ResponseError {
    fn from(error: T) -> Self {
        Self { code: error.http(), message: error.to_string() }
    }
}

impl fmt::Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl actix_web::ResponseError for ResponseError {
    fn status_code(&self) -> StatusCode {
        self.code
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.code).json(json!({ "message": self.message, "type": "system" }))
    }
}

/// The change that the compiler asks for.
impl ErrorCode for Rejection {
    fn http(&self) -> StatusCode {
        actix_web::ResponseError::status_code(self)
    }
}

/// meilisearch: the search, with a policy as a constant, limited for each index and key. `#[utoipa::path]`, which stands above,
/// is left out. Its errors need a code: `impl ErrorCode for Rejection`. The layer adds `Retry-After`.
#[rate_limit(key = "search:{index_uid}", time = "1m", count = 1, by = "header:authorization")]
async fn search_with_post(
    index_scheduler: GuardedData<ActionPolicy<{ actions::SEARCH }>, Data<IndexScheduler>>,
    _search_queue: web::Data<SearchQueue>,
    index_uid: web::Path<String>,
    params: AwebJson<SearchQuery, DeserrJsonError>,
    _req: HttpRequest,
    _analytics: web::Data<Analytics>,
) -> Result<HttpResponse, ResponseError> {
    let _: Data<IndexScheduler> = index_scheduler.data;
    Ok(HttpResponse::Ok().json(json!({ "query": params.0.q })))
}

fn meilisearch(config: &mut ServiceConfig) {
    config
        .app_data(Data::new(IndexScheduler))
        .app_data(Data::new(SearchQueue))
        .app_data(Data::new(Analytics));
    config.route("/indexes/{index_uid}/search", web::post().to(search_with_post));
}

#[tokio::test]
async fn meilisearch_search_with_post() {
    let client = client(meilisearch);
    let search = async |index: &str, key: &str| {
        let request = client.post(&format!("/indexes/{index}/search")).header("authorization", key);
        let request = request.header("content-type", "application/json").body(r#"{"q":"carol"}"#);
        Reply::read(request.send().await.unwrap()).await
    };
    for (index, key) in [("movies", "a"), ("movies", "b"), ("books", "a")] {
        assert_eq!(search(index, key).await.body, r#"{"query":"carol"}"#);
    }
    let refused = search("movies", "a").await;
    assert_refused(&refused);
    assert!(refused.body.contains(r#""type":"system""#), "{refused:?}");
    assert_eq!(post_json(&client, "/indexes/movies/search", &json!({ "q": "" })).await.status, 400);
}

struct PgPool;

struct TypedSession;

impl FromRequest for TypedSession {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

#[derive(Deserialize)]
struct FormData {
    username: String,
}

#[derive(Debug)]
enum LoginError {
    AuthError,
    Limited(Rejection),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AuthError => f.write_str("Authentication failed"),
            Self::Limited(rejection) => rejection.fmt(f),
        }
    }
}

/// The change that the compiler asks for.
impl From<Rejection> for LoginError {
    fn from(rejection: Rejection) -> Self {
        Self::Limited(rejection)
    }
}

fn login_redirect(error: LoginError) -> InternalError<LoginError> {
    let response = HttpResponse::SeeOther().insert_header((LOCATION, "/login")).finish();
    InternalError::from_response(error, response)
}

/// zero2prod: the login, whose errors are in an `InternalError`, which belongs to actix-web. The cause needs `From<Rejection>`.
/// `#[tracing::instrument]`, which stands above, is left out. No argument has the address, so the limit by address asks the layer.
#[rate_limit(key = "z2p login", time = "1m", count = 1, by = form.0.username)]
#[rate_limit(key = "z2p login", time = "1h", count = 2, by = ratelimit::client_ip())]
async fn login(
    form: web::Form<FormData>,
    _pool: web::Data<PgPool>,
    _session: TypedSession,
) -> Result<HttpResponse, InternalError<LoginError>> {
    if form.0.username.is_empty() {
        return Err(login_redirect(LoginError::AuthError));
    }
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, "/admin/dashboard")).finish())
}

#[tokio::test]
async fn zero2prod_login() {
    let client = client(|config| {
        config.app_data(Data::new(PgPool)).route("/login", web::post().to(login));
    });
    let login = async |name: &str| {
        Reply::read(client.post("/login").form(&[("username", name)]).send().await.unwrap()).await
    };
    assert_eq!(login("").await.header("location"), Some("/login"));
    assert_eq!(login("ann").await.header("location"), Some("/admin/dashboard"));
    // A third account of the same address.
    let refused = login("bob").await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true), "{refused:?}");
    assert!(refused.body.starts_with("too many requests"), "{refused:?}");
}
