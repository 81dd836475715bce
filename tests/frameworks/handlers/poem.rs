//! A handler of poem's own examples, behind a security scheme.

use crate::harness::client::{Client, Version};
use crate::poem::server;
use poem::{EndpointExt, Request, Route};
use poem_openapi::auth::ApiKey;
use poem_openapi::payload::PlainText;
use poem_openapi::{OpenApi, OpenApiService, SecurityScheme};
use ratelimit::{RateLimitLayer, RateLimiter, rate_limit};

#[derive(Clone)]
struct User {
    username: String,
}

/// The users by their keys. The original verifies a signed token.
type Users = Vec<(&'static str, User)>;

/// `ApiKey` authorization
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "X-API-Key", key_in = "header", checker = "api_checker")]
struct MyApiKeyAuthorization(User);

#[expect(clippy::unused_async, reason = "poem-openapi awaits it")]
async fn api_checker(req: &Request, api_key: ApiKey) -> Option<User> {
    let users = req.data::<Users>()?;
    users.iter().find(|(key, _)| *key == api_key.key).map(|(_, user)| user.clone())
}

struct Api;

#[OpenApi]
impl Api {
    /// This API returns the currently logged in user. Each user has a limit. The method returns a plain value: `fallible`.
    #[oai(path = "/hello", method = "get")]
    #[rate_limit(key = "hello", time = 60, count = 1, by = &auth.0.username, fallible)]
    async fn hello(&self, auth: MyApiKeyAuthorization) -> PlainText<String> {
        PlainText(auth.0.username)
    }
}

#[tokio::test]
async fn auth_apikey_hello() {
    let user = |username: &str| User { username: username.to_owned() };
    let users: Users = vec![("a", user("ann")), ("b", user("bob"))];
    let service = OpenApiService::new(Api, "Authorization Demo", "1.0");
    let document: serde_json::Value = serde_json::from_str(&service.spec()).unwrap();
    let operation = &document["paths"]["/hello"]["get"];
    assert_eq!(operation["responses"].as_object().unwrap().len(), 1);
    assert!(operation["security"][0]["MyApiKeyAuthorization"].is_array(), "{operation}");

    let app = Route::new().nest("/api", service).data(users);
    let app = app.with(RateLimitLayer::new().limiter(RateLimiter::in_memory()));
    let client = Client::new(server::start(app).await, Version::Http1);
    let hello = async |key| client.get_with("/api/hello", &[("x-api-key", key)]).await;
    assert_eq!(hello("a").await.body, "ann");
    let refused = hello("a").await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
    assert!(refused.body.starts_with("too many requests"), "{refused:?}");
    assert_eq!(hello("b").await.body, "bob");
    assert_eq!(hello("c").await.status, 401, "the checker comes before the limit");
}
