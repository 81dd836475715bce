//! Signatures of public rocket applications: the logins of vaultwarden. They only have to compile, and [`application`] proves that
//! rocket takes them as routes.

#![allow(dead_code, reason = "only compiled")]

use ratelimit::{Rejection, rate_limit};
use rocket::form::{Form, FromForm};
use rocket::http::{CookieJar, Status};
use rocket::request::{FromRequest, Outcome};
use rocket::response::content::RawHtml;
use rocket::response::{Redirect, Responder};
use rocket::serde::Deserialize;
use rocket::serde::json::{Json, Value, json};
use rocket::{Build, Request, Rocket, post, routes};
use std::net::IpAddr;

/// Declares guards with a value.
macro_rules! guards {
    ($($name:ident { $field:ident: $value:ty })*) => {
        $(struct $name {
            $field: $value,
        }

        #[rocket::async_trait]
        impl<'r> FromRequest<'r> for $name {
            type Error = ();

            async fn from_request(_: &'r Request<'_>) -> Outcome<Self, ()> {
                Outcome::Forward(Status::NotFound)
            }
        })*
    };
}

guards! {
    ClientIp { ip: IpAddr }
    ClientHeaders { ip: ClientIp }
}

/// Added to the application: `by = "ip"` finds its guard, which has the name of the trait.
impl ratelimit::ClientIp for ClientIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.ip)
    }
}

/// Added to the application.
impl ratelimit::ClientIp for ClientHeaders {
    fn client_ip(&self) -> Option<IpAddr> {
        self.ip.client_ip()
    }
}

#[derive(Responder)]
enum Error {
    Message(String),
}

/// Added to the application.
impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::Message(rejection.to_string())
    }
}

type JsonResult = Result<Json<Value>, Error>;

#[derive(Deserialize, FromForm)]
#[serde(crate = "rocket::serde")]
struct Fields {
    name: String,
}

/// The token endpoint. The address is in a guard inside another guard.
#[post("/connect/token", data = "<data>")]
#[rate_limit(key = "connect", count = 1, by = "ip")]
async fn login(data: Form<Fields>, client_header: ClientHeaders, cookies: &CookieJar<'_>) -> JsonResult {
    let _ = (client_header, cookies);
    Ok(Json(json!({ "name": data.into_inner().name })))
}

#[derive(Responder)]
enum AdminResponse {
    #[response(status = 429)]
    TooManyRequests(RawHtml<String>),
}

/// A form, whose refusal is a page. It was a `fn`, and the compiler says: make this an `async fn`. `on_limit` renders the page.
#[post("/admin", data = "<data>")]
#[rate_limit(
    key = "admin", count = 1, by = "ip",
    on_limit = |_| Err(AdminResponse::TooManyRequests(RawHtml("<p>Too many requests.</p>".into())))
)]
async fn post_admin_login(
    data: Form<Fields>,
    cookies: &CookieJar<'_>,
    ip: ClientIp,
) -> Result<Redirect, AdminResponse> {
    let _ = (cookies, ip);
    Ok(Redirect::to(data.into_inner().name))
}

fn application() -> Rocket<Build> {
    rocket::build().mount("/", routes![login, post_admin_login])
}
