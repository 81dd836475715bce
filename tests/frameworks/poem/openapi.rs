//! poem-openapi: methods under `#[OpenApi]`, whose argument names are part of the API.

use super::server::{from, second};
use crate::harness::limiters::still_layer;
use poem::web::{Data, RemoteAddr};
use poem::{Endpoint, EndpointExt, Request};
use poem_openapi::auth::ApiKey;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::{Json, PlainText};
use poem_openapi::{ApiResponse, Object, OpenApi, OpenApiService, SecurityScheme};
use ratelimit::{FromRejection, Rejection, rate_limit};

#[derive(Object)]
struct Refusal {
    message: String,
}

/// The responses in the document of the API, including a refusal.
#[derive(ApiResponse)]
enum Search {
    #[oai(status = 200)]
    Found(PlainText<String>),
    #[oai(status = 429)]
    TooManyRequests(Json<Refusal>, #[oai(header = "Retry-After")] Option<u64>),
    #[oai(status = 503)]
    Unavailable(Json<Refusal>),
}

impl FromRejection for Search {
    fn from_rejection(rejection: Rejection) -> Self {
        let refusal = Json(Refusal { message: rejection.to_string() });
        match rejection {
            Rejection::Limited(limited) => Self::TooManyRequests(refusal, limited.retry_after_secs()),
            _ => Self::Unavailable(refusal),
        }
    }
}

/// The errors in the document of the API.
#[derive(ApiResponse)]
enum ApiError {
    #[oai(status = 429)]
    TooManyRequests(PlainText<String>),
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        Self::TooManyRequests(PlainText(rejection.public_name().to_owned()))
    }
}

/// An API key, which is the id of a user.
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "X-User", key_in = "header", checker = "user_of")]
struct Authorized(u64);

#[expect(clippy::unused_async, reason = "poem-openapi awaits it")]
async fn user_of(_: &Request, key: ApiKey) -> Option<u64> {
    key.key.parse().ok()
}

struct Api;

/// An API with one attribute for all methods of a block.
struct Block;

#[OpenApi]
#[rate_limit(key = "block", time = 60, count = 1, by = "ip", fallible)]
impl Block {
    #[oai(path = "/block", method = "get")]
    async fn block(&self, request: &Request, page: Query<Option<u64>>) -> PlainText<String> {
        PlainText(format!("{} {:?}", request.method(), page.0))
    }
}

#[OpenApi]
impl Api {
    #[oai(path = "/below", method = "get")]
    #[rate_limit(key = "below", time = 60, count = 1, by = "ip")]
    async fn below(&self, request: &Request, page: Query<Option<u64>>) -> poem::Result<PlainText<String>> {
        let _ = request.method();
        Ok(PlainText(page.0.map(|page| page.to_string()).unwrap_or_default()))
    }

    #[rate_limit(key = "above", time = 60, count = 1, by = "ip")]
    #[oai(path = "/above", method = "get")]
    async fn above(&self, peer: &RemoteAddr, user: Data<&u64>) -> poem::Result<Json<u64>> {
        let _ = peer;
        Ok(Json(*user.0))
    }

    /// The limit leaves `#[oai(name = ..)]` on the argument, so that poem-openapi finds the header.
    #[oai(path = "/key", method = "get")]
    #[rate_limit(key = "key", time = 60, count = 1, by = api_key.as_str())]
    async fn key(
        &self,
        #[oai(name = "X-Api-Key")] api_key: Header<String>,
    ) -> poem::Result<PlainText<String>> {
        Ok(PlainText(api_key.0))
    }

    #[oai(path = "/hello", method = "get")]
    #[rate_limit(key = "hello", time = 60, count = 1, by = auth.0, fallible)]
    async fn hello(&self, auth: Authorized) -> PlainText<String> {
        PlainText(auth.0.to_string())
    }

    #[oai(path = "/report/:id", method = "get")]
    #[rate_limit(key = "report:{id}", time = 60, count = 1)]
    async fn report(&self, Path(id): Path<u64>) -> poem::Result<Json<u64>> {
        Ok(Json(id))
    }

    #[oai(path = "/plain", method = "get")]
    #[rate_limit(key = "plain", time = 60, count = 1, by = "ip", fallible)]
    async fn plain(&self, request: &Request) -> PlainText<String> {
        PlainText(request.method().to_string())
    }

    #[oai(path = "/nothing", method = "get")]
    #[rate_limit(key = "nothing", time = 60, count = 1, by = "ip", fallible)]
    async fn nothing(&self, request: &Request) {
        let _ = request;
    }

    #[oai(path = "/search", method = "get")]
    #[rate_limit(key = "search", time = 60, count = 1, by = "ip")]
    async fn search(&self, request: &Request) -> Search {
        let _ = request;
        Search::Found(PlainText("found".to_owned()))
    }

    #[oai(path = "/error", method = "get")]
    #[rate_limit(key = "error", time = 60, count = 1, by = "ip")]
    async fn error(&self, request: &Request) -> Result<PlainText<String>, ApiError> {
        Ok(PlainText(request.method().to_string()))
    }
}

fn service() -> OpenApiService<(Api, Block), ()> {
    OpenApiService::new((Api, Block), "limited", "1.0")
}

fn app() -> impl Endpoint {
    service().data(7_u64).with(still_layer())
}

/// A method without an argument that has headers is refused with the same answer as other methods.
#[tokio::test]
async fn methods_are_limited_in_both_orders() {
    for path in ["/below?page=3", "/above", "/report/1", "/plain", "/nothing", "/block", "/search", "/error"]
    {
        let response = second(&app(), path).await;
        assert_eq!((response.status().as_u16(), response.header("retry-after")), (429, Some("60")), "{path}");
        assert!(response.header("ratelimit").unwrap().contains(";r=0;t="), "{path}");
    }
}

#[tokio::test]
async fn the_header_of_an_argument_identifies_and_so_does_a_security_scheme() {
    let app = app();
    for (path, header, values) in
        [("/key", "x-api-key", ["a", "a", "b"]), ("/hello", "x-user", ["1", "1", "2"])]
    {
        for (value, expected) in values.into_iter().zip([200, 429, 200]) {
            let mut request = from(1, path);
            request.headers_mut().insert(header, value.parse().unwrap());
            assert_eq!(app.get_response(request).await.status(), expected, "{path} {value}");
        }
    }
    assert_eq!(app.get_response(from(1, "/hello")).await.status(), 401, "the checker comes before the limit");
}

#[tokio::test]
async fn a_response_enum_answers_in_its_own_form() {
    let response = second(&app(), "/search").await;
    assert_eq!(response.content_type(), Some("application/json; charset=utf-8"));
    let body = response.into_body().into_string().await.unwrap();
    assert_eq!(body, r#"{"message":"too many requests: try again in 60 seconds"}"#);
    let response = second(&app(), "/error").await;
    assert_eq!(response.into_body().into_string().await.unwrap(), "error");
}

/// The attribute changes neither the arguments nor the responses in the document.
#[test]
fn the_document_describes_the_methods_as_they_are_written() {
    let document: serde_json::Value = serde_json::from_str(&service().spec()).unwrap();
    let operation = |path: &str| document["paths"][path]["get"].clone();
    assert_eq!(operation("/below")["parameters"][0]["name"], "page");
    assert_eq!(operation("/key")["parameters"][0]["name"], "X-Api-Key");
    assert_eq!(operation("/report/{id}")["parameters"][0]["name"], "id");
    assert!(operation("/hello")["security"][0]["Authorized"].is_array());
    let statuses =
        |path: &str| operation(path)["responses"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(statuses("/search"), ["200", "429", "503"]);
    assert_eq!(statuses("/error"), ["200", "429"]);
    for path in ["/below", "/plain", "/nothing", "/block", "/hello"] {
        assert_eq!(statuses(path), ["200"], "{path}");
    }
}
