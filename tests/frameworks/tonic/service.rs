//! The service under test: one method for each way to limit a call, and its server.

use super::wire::{Answer, Note, listen, server};
use ratelimit::context::RequestContext;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::collections::HashMap;
use std::net::SocketAddr;
use support::MINUTE;
use tonic::codegen::InterceptedService;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};
use tower::Layer;

server! { trait Limits in LimitsServer is "test.Limits":
    "Login" => login;
    "Key" => key;
    "BinaryKey" => binary_key;
    "User" => user;
    "Tenant" => tenant;
    "Stack" => stack;
    "Context" => context;
    "ContextUser" => context_user;
    "ContextHeader" => context_header;
    "Spawned" => spawned;
    "Swallowed" => swallowed;
    "Own" => own;
    "Detailed" => detailed;
    "Handled" => handled;
    "Hidden" => hidden;
    "Never" => never;
    "Plain" => plain;
}

/// The user that the interceptor has found.
#[derive(Clone)]
struct User {
    name: String,
}

/// Stands in for authentication by a token. It puts the user into the request, and into the context for inner functions.
#[expect(clippy::unnecessary_wraps, reason = "tonic asks for this type")]
fn authenticate(mut request: Request<()>) -> Result<Request<()>, Status> {
    let name = request.metadata().get("x-user").map(|name| name.to_str().unwrap().to_owned());
    if let Some(name) = name {
        if let Some(context) = RequestContext::current() {
            context.set_user(name.clone());
        }
        request.extensions_mut().insert(User { name });
    }
    Ok(request)
}

/// An error type that turns every other error into `INTERNAL`.
struct AppError;

impl<E: std::error::Error> From<E> for AppError {
    fn from(_: E) -> Self {
        Self
    }
}

impl From<AppError> for Status {
    fn from(_: AppError) -> Self {
        Self::internal("something went wrong")
    }
}

pub(super) struct Service;

/// Returns a cost that is larger than the limit.
fn weight(_: &Request<Note>) -> u32 {
    2
}

fn welcome() -> Response<Note> {
    Response::new(Note::new("welcome"))
}

#[rate_limit(key = "context", count = 1, by = ratelimit::context::client_ip())]
async fn limited_by_context() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "swallowed", count = 1, by = ratelimit::context::client_ip())]
async fn swallowing() -> Result<(), AppError> {
    Ok(())
}

#[tonic::async_trait]
impl Limits for Service {
    #[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
    async fn login(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    #[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
    async fn key(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    #[rate_limit(key = "binary_key", count = 1, by = "header:x-api-key-bin")]
    async fn binary_key(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    #[rate_limit(key = "user", count = 1, by = request.extensions().get::<User>().map(|user| &user.name))]
    async fn user(&self, request: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    #[rate_limit(key = "tenant", count = 1, by = &request.get_ref().text)]
    async fn tenant(&self, mut request: Request<Note>) -> Answer<Note> {
        request.get_mut().text.push('!');
        Ok(Response::new(request.into_inner()))
    }

    #[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
    #[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
    async fn stack(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    async fn context(&self, _: Request<Note>) -> Answer<Note> {
        limited_by_context().await?;
        Ok(welcome())
    }

    #[rate_limit(key = "context_user", count = 1, by = ratelimit::context::user())]
    async fn context_user(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    #[rate_limit(key = "context_header", count = 1, by = ratelimit::context::header("X-Api-Key"))]
    async fn context_header(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    async fn spawned(&self, _: Request<Note>) -> Answer<Note> {
        tokio::spawn(limited_by_context()).await.unwrap()?;
        Ok(welcome())
    }

    async fn swallowed(&self, _: Request<Note>) -> Answer<Note> {
        swallowing().await?;
        Ok(welcome())
    }

    async fn own(&self, _: Request<Note>) -> Answer<Note> {
        let mut status = Status::aborted("later");
        status.metadata_mut().insert("grpc-retry-pushback-ms", "5".parse().unwrap());
        swallowing().await.map_err(|AppError| status)?;
        Ok(welcome())
    }

    async fn detailed(&self, _: Request<Note>) -> Answer<Note> {
        let details = ErrorDetails::with_error_info("BUSY", "test", HashMap::new());
        let status = Status::with_error_details(Code::Internal, "something went wrong", details);
        swallowing().await.map_err(|AppError| status)?;
        Ok(welcome())
    }

    async fn hidden(&self, _: Request<Note>) -> Answer<Note> {
        swallowing().await.map_err(|AppError| Status::not_found("nothing here"))?;
        Ok(welcome())
    }

    async fn handled(&self, _: Request<Note>) -> Answer<Note> {
        let text = if swallowing().await.is_ok() { "welcome" } else { "please wait" };
        Ok(Response::new(Note::new(text)))
    }

    #[rate_limit(key = "never", count = 1, cost = weight(&request), by = "ip")]
    async fn never(&self, request: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }

    async fn plain(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }
}

server! { trait Layered in LayeredServer is "test.Layered": "Plain" => plain; }

#[tonic::async_trait]
impl Layered for Service {
    async fn plain(&self, _: Request<Note>) -> Answer<Note> {
        Ok(welcome())
    }
}

/// Serves all services, with a layer around them that uses the given limiter.
pub(super) async fn serve(limiter: RateLimiter) -> SocketAddr {
    serve_in(RateLimitLayer::new().limiter(limiter)).await
}

pub(super) async fn serve_in(layer: RateLimitLayer) -> SocketAddr {
    let (address, incoming) = listen().await;
    let layered = RateLimitLayer::new().limit("layered", Limit::counter(1, MINUTE), By::ip());
    let server = Server::builder()
        .layer(layer.keep_header("X-API-KEY"))
        .add_service(InterceptedService::new(LimitsServer::new(Service), authenticate))
        // tonic finds a service by its name. The layer around this service passes the name on.
        .add_service(layered.layer(LayeredServer::new(Service)));
    tokio::spawn(server.serve_with_incoming(incoming));
    address
}
