//! Tests the layer as a middleware of actix-web, beside other middlewares and with errors that reach the layer.

use super::server;
use crate::harness::client::{Client, Reply, Version};
use crate::harness::contract::{self, AppError, in_context, met};
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::{ErrorBadGateway, ErrorInternalServerError};
use actix_web::http::StatusCode;
use actix_web::middleware::{
    Condition, DefaultHeaders, ErrorHandlerResponse, ErrorHandlers, Logger, Next, from_fn,
};
use actix_web::web::{self, ServiceConfig};
use actix_web::{Error, HttpRequest, Responder};
use ratelimit::answer::Answers;
use ratelimit::{RateLimitLayer, RateLimiter, rate_limit};

/// Returns a refusal as another error of actix-web.
async fn wrapped() -> actix_web::Result<&'static str> {
    in_context().await.map_err(ErrorInternalServerError)?;
    Ok("")
}

/// Returns a refusal as `Box<dyn Error>`, which accepts every error.
#[rate_limit(key = "boxed", count = 1, by = "ip")]
async fn boxed(_: HttpRequest) -> Result<&'static str, Box<dyn std::error::Error>> {
    Ok("")
}

type Answered = Result<ServiceResponse<actix_web::body::BoxBody>, Error>;

/// A limited middleware. Its refusal passes through the other middlewares as an error.
#[rate_limit(key = "middleware", count = 1, by = "ip")]
async fn limited(request: ServiceRequest, next: Next<impl MessageBody + 'static>) -> Answered {
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// A middleware that returns a refusal as an error without the rejection.
async fn swallowing(request: ServiceRequest, next: Next<impl MessageBody + 'static>) -> Answered {
    in_context().await.map_err(|_| AppError)?;
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// A middleware that fails without a refusal.
async fn broken(_: ServiceRequest, _: Next<impl MessageBody>) -> Answered {
    Err(ErrorBadGateway("no upstream"))
}

async fn plain() -> &'static str {
    ""
}

fn errors(config: &mut ServiceConfig) {
    config.route("/wrapped", web::get().to(wrapped)).route("/boxed", web::get().to(boxed));
    config.service(web::resource("/limited").wrap(from_fn(limited)).to(plain));
    config.service(web::resource("/swallowing").wrap(from_fn(swallowing)).to(plain));
    config.service(web::resource("/broken").wrap(from_fn(broken)).to(plain));
}

/// Returns a layer with its own limiter.
fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory())
}

fn client(layer: RateLimitLayer, routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static) -> Client {
    Client::new(server::start(layer, routes), Version::Http1)
}

/// Sends two requests and asserts that the first one passes. Returns the response to the second one.
async fn second(client: &Client, path: &str) -> Reply {
    assert_eq!(client.get(path).await.status, 200, "{path}");
    client.get(path).await
}

/// The responses to errors of handlers and middlewares contain `Retry-After` and the header fields of the limits.
#[tokio::test]
async fn errors_that_swallow_a_refusal_are_mended() {
    for (corrects, status) in [(false, 500), (true, 429)] {
        for path in ["/wrapped", "/boxed", "/swallowing"] {
            let client = client(layer().correct_status(corrects), errors);
            let reply = second(&client, path).await;
            assert_eq!(reply.status, status, "{path}");
            assert!(reply.header("retry-after").is_some(), "{path}");
            assert!(reply.header("ratelimit").unwrap().contains(";r=0;t="), "{path}");
        }
    }
}

#[tokio::test]
async fn the_refusal_of_a_middleware_is_answered_in_the_form_of_the_layer() {
    let client = client(layer().answers(Answers::problem_json()), errors);
    let reply = second(&client, "/limited").await;
    assert_eq!((reply.status, reply.header("content-type")), (429, Some("application/problem+json")));
    assert!(reply.body.contains("\"status\":429"), "{}", reply.body);
    assert!(reply.header("retry-after").is_some());
    assert_eq!(reply.header("ratelimit-policy"), Some(r#""middleware";q=1;w=60"#));
}

#[tokio::test]
async fn other_errors_stay_as_they_are() {
    let reply = client(layer().correct_status(true), errors).get("/broken").await;
    let headers = (reply.header("retry-after"), reply.header("ratelimit"));
    assert_eq!((reply.status, reply.body.as_str(), headers), (502, "no upstream", (None, None)));
}

fn scopes(config: &mut ServiceConfig) {
    let customized = ErrorHandlers::new().handler(StatusCode::TOO_MANY_REQUESTS, |response| {
        Ok(ErrorHandlerResponse::Response(response.map_into_left_body()))
    });
    let scope = web::scope("/scope")
        .wrap(DefaultHeaders::new().add(("x-inner", "yes")))
        .wrap(contract::layer("scope"))
        .wrap(customized)
        .wrap(Logger::default())
        .route("/met", web::get().to(async || met()));
    let never = Condition::new(false, contract::layer("never"));
    let always = Condition::new(true, contract::layer("always"));
    config.service(scope).service(web::resource("/condition").wrap(never).wrap(always).to(async || met()));
}

/// The middlewares around and inside the layer have other types of bodies and errors.
#[tokio::test]
async fn layers_stand_beside_other_middlewares() {
    for (path, met, policy) in
        [("/scope/met", "scope", r#""scope";q=1;w=60"#), ("/condition", "always", r#""always";q=1;w=60"#)]
    {
        let client = client(layer(), scopes);
        let reply = client.get(path).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, met), "{path}");
        assert_eq!(reply.header("ratelimit-policy"), Some(policy), "{path}");
        let refused = client.get(path).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true), "{path}");
    }
}

/// The request context belongs to the future of the handler, which does not have to be `Send`.
#[rate_limit(key = "local", count = 1, by = ratelimit::context::client_ip())]
async fn local(text: std::rc::Rc<str>) -> impl Responder {
    tokio::task::yield_now().await;
    text.to_string()
}

#[tokio::test]
async fn futures_need_not_be_send() {
    let client = client(layer(), |config| {
        config.route("/", web::get().to(|| local("local".into())));
    });
    assert_eq!(client.get("/").await.body, "local");
    assert_eq!(client.get("/").await.status, 429);
}
