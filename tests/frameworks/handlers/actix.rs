//! Signatures of applications on actix-web that no other test has, with stand-ins for their types. They only have to compile, and [`routes`] proves
//! that actix-web takes them as handlers.

#![allow(dead_code, reason = "only compiled")]

use actix_web::dev::Payload;
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Form, Json, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, ResponseError, post};
use ratelimit::{Rejection, rate_limit};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::future::{Future, Ready, ready};
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;

mod actions {
    pub(super) const SEARCH: u8 = 1;
}

struct ActionPolicy<const ACTION: u8>;

/// Access to data, for whom the policy permits it; and JSON whose errors are of another type.
struct Guarded<P, D>(D, PhantomData<P>);

impl<P: 'static, D: FromRequest + 'static> FromRequest for Guarded<P, D> {
    type Error = D::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, D::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let data = D::from_request(request, payload);
        Box::pin(async { Ok(Self(data.await?, PhantomData)) })
    }
}

/// A session, which is not `Send`, and a user.
#[derive(Clone, Default)]
struct Session(Rc<()>, String);

impl FromRequest for Session {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::default()))
    }
}

struct Context;

#[derive(Deserialize, Serialize)]
struct Fields {
    name: String,
}

/// An error that has a status, and one that takes all of them.
trait ErrorCode: std::error::Error {
    fn http(&self) -> StatusCode;
}

#[derive(Debug)]
struct CodedError(StatusCode);

impl<T: ErrorCode> From<T> for CodedError {
    fn from(error: T) -> Self {
        Self(error.http())
    }
}

#[derive(Debug)]
struct ErrorResponse(Rejection);

macro_rules! errors {
    ($($name:ident)*) => {
        $(impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }

        impl ResponseError for $name {})*
    };
}

errors! { CodedError ErrorResponse }

/// The change that the compiler asks for.
impl ErrorCode for Rejection {
    fn http(&self) -> StatusCode {
        ResponseError::status_code(self)
    }
}

/// meilisearch: a policy as a constant, and a limit for each index and key.
#[rate_limit(key = "search:{index_uid}", time = "1m", count = 1, by = "header:authorization")]
async fn search_with_post(
    index_scheduler: Guarded<ActionPolicy<{ actions::SEARCH }>, Data<Context>>,
    _search_queue: web::Data<Context>,
    index_uid: web::Path<String>,
    params: Guarded<CodedError, Json<Fields>>,
    _req: HttpRequest,
) -> Result<HttpResponse, CodedError> {
    let _: Data<Context> = index_scheduler.0;
    Ok(HttpResponse::Ok().json(params.0))
}

/// The change that the compiler asks for.
impl From<Rejection> for ErrorResponse {
    fn from(rejection: Rejection) -> Self {
        Self(rejection)
    }
}

/// zero2prod: the errors are in an `InternalError`, which belongs to actix-web. Its cause needs `From<Rejection>`.
#[rate_limit(key = "login", time = "1m", count = 1, by = form.0.name)]
#[rate_limit(key = "login", time = "1h", count = 2, by = ratelimit::context::client_ip())]
async fn login(
    form: web::Form<Fields>,
    _pool: web::Data<Context>,
    _session: Session,
) -> Result<HttpResponse, InternalError<ErrorResponse>> {
    Ok(HttpResponse::SeeOther().json(form.0))
}

/// What OAuth 2.0 clients understand.
fn slow_down(rejection: Rejection) -> HttpResponse {
    let response = HttpResponse::from(rejection);
    response.set_body(actix_web::body::BoxBody::new(r#"{"error":"slow_down"}"#))
}

/// rauthy: the start of a device grant, which answers errors as OAuth 2.0 wants.
#[post("/oidc/device")]
#[rate_limit(key = "device", time = "1m", count = 1, by = "ip", on_limit = slow_down)]
async fn post_device_auth(_req: HttpRequest, Form(payload): Form<Fields>) -> HttpResponse {
    HttpResponse::Ok().json(payload)
}

/// cookie-auth: the type of the user belongs to another crate, so `by` has the id, or else the address.
#[rate_limit(
    key = "index", time = "1m", count = 1,
    by = identity.as_ref().map(|identity| identity.1.clone()).or_else(|| Some(ratelimit::context::client_ip().get()?.to_string()))
)]
async fn index(identity: Option<Session>) -> actix_web::Result<impl Responder> {
    Ok(identity.map(|identity| identity.1).unwrap_or_default())
}

fn routes(config: &mut ServiceConfig) {
    config.route("/indexes/{index_uid}/search", web::post().to(search_with_post));
    config.route("/login", web::post().to(login));
    config.service(post_device_auth).route("/", web::get().to(index));
}
