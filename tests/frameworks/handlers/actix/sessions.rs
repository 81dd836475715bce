//! Handlers with a session, which is not `Send`.

use super::{assert_refused, client};
use actix_web::dev::Payload;
use actix_web::error::ErrorInternalServerError;
use actix_web::http::StatusCode;
use actix_web::http::header::ContentType;
use actix_web::web;
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, Result, get};
use ratelimit::rate_limit;
use std::cell::Cell;
use std::future::{Ready, ready};
use std::num::ParseIntError;
use std::rc::Rc;

/// Who has logged in. A request without it has no user.
struct Identity(String);

impl Identity {
    fn id(&self) -> std::result::Result<String, ParseIntError> {
        self.0.parse::<u64>().map(|id| id.to_string())
    }
}

impl FromRequest for Identity {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let user = request.headers().get("x-user").and_then(|user| user.to_str().ok());
        ready(user.map(|user| Self(user.to_owned())).ok_or_else(|| ErrorInternalServerError("no identity")))
    }
}

/// A user by its id, and anybody else by its address.
fn visitor(identity: Option<&Identity>) -> Option<String> {
    let address = || Some(ratelimit::client_ip().get()?.to_string());
    identity.and_then(|identity| identity.id().ok()).or_else(address)
}

/// cookie-auth: the index, which anonymous visitors may see. Nothing has to change for a limit. `Identity` belongs to another
/// crate, so `by` has the id.
#[rate_limit(key = "index", time = "1m", count = 1, by = visitor(identity.as_ref()))]
async fn index(identity: Option<Identity>) -> actix_web::Result<impl Responder> {
    let id = match identity.map(|identity| identity.id()) {
        None => "anonymous".to_owned(),
        Some(Ok(id)) => id,
        Some(Err(error)) => return Err(ErrorInternalServerError(error)),
    };
    Ok(format!("Hello {id}"))
}

#[tokio::test]
async fn cookie_auth_index() {
    let client = client(|config| {
        config.route("/", web::get().to(index));
    });
    for (headers, name) in [(&[][..], "anonymous"), (&[("x-user", "1")], "1"), (&[("x-user", "2")], "2")] {
        let admitted = client.get_with("/", headers).await;
        assert_eq!((admitted.status, admitted.body), (200, format!("Hello {name}")));
        assert_refused(&client.get_with("/", headers).await);
    }
}

#[derive(Clone)]
struct Session(Rc<Cell<i32>>);

impl FromRequest for Session {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(Rc::default())))
    }
}

/// basics: the welcome page, with a session. Nothing has to change for a limit.
#[get("/welcome")]
#[rate_limit(key = "welcome", time = "1m", count = 1, by = "ip")]
async fn welcome(_req: HttpRequest, session: Session) -> Result<HttpResponse> {
    session.0.set(session.0.get() + 1);
    Ok(HttpResponse::build(StatusCode::OK)
        .content_type(ContentType::plaintext())
        .body(session.0.get().to_string()))
}

#[tokio::test]
async fn basics_welcome() {
    let client = client(|config| {
        config.service(welcome);
    });
    assert_eq!(client.get("/welcome").await.body, "1");
    assert_refused(&client.get("/welcome").await);
}
