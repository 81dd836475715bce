//! Handlers of public rocket applications: vaultwarden's logins, and the user of a "realworld" application.

use ratelimit::{RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use rocket::form::{Form, FromForm};
use rocket::http::{ContentType, Cookie, CookieJar, Status};
use rocket::local::asynchronous::{Client, LocalRequest, LocalResponse};
use rocket::request::{FromRequest, Outcome};
use rocket::response::content::RawHtml;
use rocket::response::{Redirect, Responder, Response};
use rocket::serde::Deserialize;
use rocket::serde::json::{Json, Value, json};
use rocket::{Config, Request, get, post, routes};
use std::io::Cursor;
use std::net::{IpAddr, SocketAddr};

/// vaultwarden's guard for the address, which its proxy puts into a header that the administrator has configured.
struct ClientIp {
    ip: IpAddr,
}

#[rocket::async_trait]
impl<'r> FromRequest<'r> for ClientIp {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        let of_header = request.headers().get_one("x-real-ip").and_then(|ip| ip.parse().ok());
        let ip = of_header.or(request.remote().map(|peer| peer.ip()));
        Outcome::Success(Self { ip: ip.unwrap_or([0, 0, 0, 0].into()) })
    }
}

/// Added to the application: `by = "ip"` finds its guard.
impl ratelimit::ClientIp for ClientIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.ip)
    }
}

struct ClientHeaders {
    device_type: i32,
    ip: ClientIp,
}

#[rocket::async_trait]
impl<'r> FromRequest<'r> for ClientHeaders {
    type Error = &'static str;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, Self::Error> {
        let Outcome::Success(ip) = ClientIp::from_request(request).await else {
            return Outcome::Error((Status::BadRequest, "no address"));
        };
        let device_type = request.headers().get_one("device-type").and_then(|device| device.parse().ok());
        Outcome::Success(Self { device_type: device_type.unwrap_or(14), ip })
    }
}

/// Added to the application.
impl ratelimit::ClientIp for ClientHeaders {
    fn client_ip(&self) -> Option<IpAddr> {
        self.ip.client_ip()
    }
}

/// vaultwarden's error: a message for its clients in JSON, and a status.
struct Error {
    message: String,
    code: u16,
    retry_after: Option<u64>,
}

/// Added to the application: its own body, and the status and `Retry-After` of the refusal.
impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        let answer = rejection.answer();
        Self { message: rejection.to_string(), code: answer.status, retry_after: answer.retry_after }
    }
}

impl<'r> Responder<'r, 'static> for Error {
    fn respond_to(self, _: &'r Request<'_>) -> rocket::response::Result<'static> {
        let body = json!({ "ErrorModel": { "Message": self.message, "Object": "error" } }).to_string();
        let mut response = Response::build();
        response.status(Status::new(self.code)).header(ContentType::JSON);
        if let Some(seconds) = self.retry_after {
            response.raw_header("Retry-After", seconds.to_string());
        }
        response.sized_body(body.len(), Cursor::new(body)).ok()
    }
}

type JsonResult = Result<Json<Value>, Error>;
type EmptyResult = Result<(), Error>;

#[derive(FromForm)]
struct ConnectData {
    grant_type: String,
}

/// 24: the token endpoint. The address is in a guard inside another guard. As it stands, with `ClientIp` and `From<Rejection>` above.
#[post("/connect/token", data = "<data>")]
#[rate_limit(key = "connect", count = 1, by = "ip")]
async fn login(data: Form<ConnectData>, client_header: ClientHeaders, cookies: &CookieJar<'_>) -> JsonResult {
    cookies.add(Cookie::new("seen", "1"));
    Ok(Json(json!({ "grant_type": data.into_inner().grant_type, "device": client_header.device_type })))
}

#[derive(Deserialize)]
#[serde(crate = "rocket::serde")]
struct PasswordHintData {
    email: String,
}

/// 25: mails a hint. The guard is called `ClientIp`, as the trait. As it stands, in the other order of attributes.
#[rate_limit(key = "hint", time = "1h", count = 1, by = "ip")]
#[post("/accounts/password-hint", data = "<data>")]
async fn password_hint(data: Json<PasswordHintData>, ip: ClientIp) -> EmptyResult {
    assert!(data.email.contains('@') && !ip.ip.is_loopback());
    Ok(())
}

#[derive(FromForm)]
struct LoginForm {
    token: String,
    redirect: Option<String>,
}

#[derive(Responder)]
enum AdminResponse {
    #[response(status = 401)]
    Unauthorized(RawHtml<String>),
    #[response(status = 429)]
    TooManyRequests(RawHtml<String>),
}

/// 26: a form, whose refusal is a page. It was a `fn`, and the compiler says: make this an `async fn`. `on_limit` renders the page;
/// the layer adds `Retry-After`, for which the page has no place.
#[post("/admin", data = "<data>")]
#[rate_limit(
    key = "admin", count = 1, by = "ip",
    on_limit = |_| Err(AdminResponse::TooManyRequests(RawHtml("<p>Too many requests, try again later.</p>".into())))
)]
async fn post_admin_login(
    data: Form<LoginForm>,
    cookies: &CookieJar<'_>,
    ip: ClientIp,
) -> Result<Redirect, AdminResponse> {
    let data = data.into_inner();
    if data.token != "right" {
        return Err(AdminResponse::Unauthorized(RawHtml(format!("<p>Not you, {}.</p>", ip.ip))));
    }
    cookies.add(Cookie::new("VW_ADMIN", "token"));
    Ok(Redirect::to(data.redirect.unwrap_or_else(|| "/admin".to_owned())))
}

struct Auth {
    id: i32,
}

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Auth {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        match request
            .headers()
            .get_one("authorization")
            .and_then(|token| token.strip_prefix("Token ")?.parse().ok())
        {
            Some(id) => Outcome::Success(Self { id }),
            None => Outcome::Error((Status::Forbidden, ())),
        }
    }
}

/// Added to the application.
impl UserId for Auth {
    type Id = i32;

    fn user_id(&self) -> Option<i32> {
        Some(self.id)
    }
}

/// 27: the user who is logged in. A `None` is a 404 and no refusal, so the compiler asks for `fallible`.
#[get("/user")]
#[rate_limit(key = "user", count = 2, by = "user", fallible)]
async fn get_user(auth: Auth) -> Option<Value> {
    (auth.id < 100).then(|| json!({ "user": { "id": auth.id } }))
}

async fn client() -> Client {
    let config = Config { log_level: rocket::config::LogLevel::Off, ..Config::debug_default() };
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let application = rocket::custom(config).attach(layer);
    let routes = routes![login, password_hint, post_admin_login, get_user];
    Client::untracked(application.mount("/", routes)).await.unwrap()
}

async fn dispatch(request: LocalRequest<'_>, last: u8) -> LocalResponse<'_> {
    request.remote(SocketAddr::from(([203, 0, 113, last], 1))).dispatch().await
}

async fn assert_refused(response: LocalResponse<'_>, content_type: &ContentType, body: &str) {
    assert_eq!(response.status(), Status::TooManyRequests);
    assert_eq!(response.content_type().as_ref(), Some(content_type));
    assert!(response.headers().get_one("retry-after").is_some());
    assert!(response.headers().get_one("ratelimit").is_some());
    let text = response.into_string().await.unwrap();
    assert!(text.contains(body), "{text}");
}

#[tokio::test]
async fn vaultwarden_login() {
    let client = client().await;
    let ask = |last| {
        let request = client.post("/connect/token").header(ContentType::Form).body("grant_type=password");
        dispatch(request, last)
    };
    let welcome = ask(1).await;
    assert_eq!(
        welcome.into_json::<Value>().await.unwrap(),
        json!({ "grant_type": "password", "device": 14 })
    );
    assert_refused(ask(1).await, &ContentType::JSON, r#""Message":"too many requests"#).await;
    assert_eq!(ask(2).await.status(), Status::Ok);
}

#[tokio::test]
async fn vaultwarden_password_hint() {
    let client = client().await;
    let ask = |last| {
        let body = r#"{"email":"me@example.com"}"#;
        dispatch(client.post("/accounts/password-hint").header(ContentType::JSON).body(body), last)
    };
    assert_eq!(ask(1).await.status(), Status::Ok);
    assert_refused(ask(1).await, &ContentType::JSON, r#""Object":"error""#).await;
    assert_eq!(ask(2).await.status(), Status::Ok);
}

#[tokio::test]
async fn vaultwarden_post_admin_login() {
    let client = client().await;
    let ask = |token, last| {
        let request = client.post("/admin").header(ContentType::Form).body(format!("token={token}"));
        dispatch(request, last)
    };
    assert_eq!(ask("wrong", 1).await.status(), Status::Unauthorized);
    assert_refused(ask("right", 1).await, &ContentType::HTML, "try again later").await;
    assert_eq!(ask("right", 2).await.status(), Status::SeeOther);
}

#[tokio::test]
async fn realworld_get_user() {
    let client = client().await;
    let ask = |id: i32| {
        let token = rocket::http::Header::new("authorization", format!("Token {id}"));
        dispatch(client.get("/user").header(token), 1)
    };
    assert_eq!(ask(7).await.into_json::<Value>().await.unwrap(), json!({ "user": { "id": 7 } }));
    assert_eq!(ask(7).await.status(), Status::Ok);
    assert_refused(ask(7).await, &ContentType::Plain, "too many requests").await;
    assert_eq!(ask(107).await.status(), Status::NotFound);
}
