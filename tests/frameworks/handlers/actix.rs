//! Handler signatures of actix-web applications that no other test contains, with stand-ins for the types of the
//! applications. The handlers only have to compile. [`routes`] proves that actix-web accepts them.

#![allow(dead_code, reason = "only compiled")]

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Json, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, ResponseError};
use ratelimit::{Rejection, rate_limit};
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

/// Gives access to data if the policy `P` permits it.
struct Guarded<P, D>(D, PhantomData<P>);

impl<P: 'static, D: FromRequest + 'static> FromRequest for Guarded<P, D> {
    type Error = D::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, D::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let data = D::from_request(request, payload);
        Box::pin(async { Ok(Self(data.await?, PhantomData)) })
    }
}

/// An error with a status. `CodedError` accepts all errors with this trait.
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

impl fmt::Display for CodedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for CodedError {}

/// The implementation that the compiler error asks for.
impl ErrorCode for Rejection {
    fn http(&self) -> StatusCode {
        ResponseError::status_code(self)
    }
}

/// meilisearch: the policy is a constant, and each index has a limit for each API key.
#[rate_limit(key = "search:{index_uid}", time = "1m", count = 1, by = "header:authorization")]
async fn search_with_post(
    index_scheduler: Guarded<ActionPolicy<{ actions::SEARCH }>, Data<u8>>,
    _search_queue: web::Data<u8>,
    index_uid: web::Path<String>,
    params: Guarded<CodedError, Json<String>>,
    _req: HttpRequest,
) -> Result<HttpResponse, CodedError> {
    let _: Data<u8> = index_scheduler.0;
    Ok(HttpResponse::Ok().json(params.0))
}

/// A session with a user. It is not `Send`.
#[derive(Clone, Default)]
struct Session(Rc<()>, String);

impl FromRequest for Session {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::default()))
    }
}

/// cookie-auth: the type of the user belongs to another crate, so `by` is the user's id, or the address if there is no user.
#[rate_limit(
    key = "index", time = "1m", count = 1,
    by = identity.as_ref().map(|identity| identity.1.clone()).or_else(|| Some(ratelimit::context::client_ip().get()?.to_string()))
)]
async fn index(identity: Option<Session>) -> actix_web::Result<impl Responder> {
    Ok(identity.map(|identity| identity.1).unwrap_or_default())
}

fn routes(config: &mut ServiceConfig) {
    config.route("/indexes/{index_uid}/search", web::post().to(search_with_post));
    config.route("/", web::get().to(index));
}
