//! Which arguments of a handler of poem say who calls.

use super::server::{from, second};
use poem::http::StatusCode;
use poem::session::{CookieConfig, CookieSession, Session};
use poem::web::{Data, Path};
use poem::{Endpoint, EndpointExt, Request, Route, get, handler};
use ratelimit::identity::RequestHeaders;
use ratelimit::{ClientIp, RateLimiter, Rejection, UserId, rate_limit};
use std::net::IpAddr;

/// The address that a middleware of the application has found out.
#[derive(Clone)]
struct Caller(IpAddr);

impl ClientIp for Caller {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

/// The user that a middleware of the application has found out.
#[derive(Clone)]
struct CurrentUser(u64);

impl UserId for CurrentUser {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[handler]
#[rate_limit(key = "caller", count = 1, by = "ip")]
async fn by_data(Path(_): Path<String>, _: Data<&Caller>) -> Result<(), Rejection> {
    Ok(())
}

#[handler]
#[rate_limit(key = "user", count = 1, by = "user")]
async fn by_user(Data(user): Data<&CurrentUser>) -> Result<String, Rejection> {
    Ok(user.0.to_string())
}

#[handler]
#[rate_limit(key = "optional", count = 1, by = "user")]
async fn by_optional_user(_user: Option<Data<&CurrentUser>>) -> Result<(), Rejection> {
    Ok(())
}

#[handler]
#[rate_limit(key = "report:{id}", count = 1)]
async fn by_path(Path(id): Path<u64>) -> Result<String, Rejection> {
    Ok(id.to_string())
}

#[handler]
#[rate_limit(key = "login", count = 1, by = session.get::<String>("user"))]
async fn by_session(session: &Session) -> Result<(), Rejection> {
    session.set("count", 1);
    Ok(())
}

#[handler]
fn plain() {}

/// A middleware that is a function.
#[rate_limit(key = "around", count = 1, by = "ip")]
async fn around<E: Endpoint>(next: E, request: Request) -> poem::Result<E::Output> {
    next.call(request).await
}

/// Runs a future with a limiter of its own.
pub(super) async fn scoped<T>(future: impl Future<Output = T>) -> T {
    ratelimit::scope(RateLimiter::in_memory(), future).await
}

pub(super) async fn status(endpoint: &impl Endpoint, request: Request) -> StatusCode {
    endpoint.get_response(request).await.status()
}

#[tokio::test]
async fn values_of_a_middleware_identify() {
    scoped(async {
        let caller = |last| {
            let app = Route::new().at("/:name", get(by_data));
            app.data(Caller(IpAddr::from([198, 51, 100, last])))
        };
        assert_eq!(second(&caller(1), "/a").await.status(), 429);
        assert_eq!(status(&caller(2), from(1, "/a")).await, 200, "another caller behind the same peer");

        let user = |id| by_user.data(CurrentUser(id));
        assert_eq!(second(&user(1), "/").await.status(), 429);
        assert_eq!(status(&user(2), from(1, "/")).await, 200);

        assert_eq!(second(&by_optional_user.data(CurrentUser(1)), "/").await.status(), 429);
        assert_eq!(status(&by_optional_user, from(1, "/")).await, 400);
    })
    .await;
}

#[tokio::test]
async fn parts_of_a_path_fill_placeholders_and_middlewares_are_limited() {
    scoped(async {
        assert_eq!(second(&plain.around(around), "/").await.status(), 429);
        let app = Route::new().at("/:id", get(by_path));
        assert_eq!(second(&app, "/1").await.status(), 429);
        assert_eq!(status(&app, from(1, "/2")).await, 200);
    })
    .await;
}

/// A session belongs to the application, so the application says what it knows about the user.
#[tokio::test]
async fn a_value_of_a_session_identifies() {
    #[handler]
    fn login(session: &Session, Path(user): Path<String>) {
        session.set("user", user);
    }
    let app = Route::new().at("/login/:user", get(login)).at("/", get(by_session));
    let app = app.with(CookieSession::new(CookieConfig::default()));
    scoped(async {
        let as_user = async |path| {
            let logged_in = app.get_response(from(1, path)).await;
            let cookie = logged_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
            let mut request = from(1, "/");
            request.headers_mut().insert("cookie", cookie.parse().unwrap());
            let response = app.get_response(request).await;
            (response.status().as_u16(), response.header("set-cookie").is_some())
        };
        assert_eq!(as_user("/login/ann").await, (200, true));
        assert_eq!(as_user("/login/ann").await, (429, false), "a refused call does not change the session");
        assert_eq!(as_user("/login/bob").await, (200, true));
        assert_eq!(status(&app, from(1, "/")).await, 400, "not logged in");
    })
    .await;
}

#[test]
fn all_lines_of_a_header_are_read() {
    let mut request = Request::default();
    request.headers_mut().append("x-a", "1".parse().unwrap());
    request.headers_mut().append("x-a", "2".parse().unwrap());
    assert_eq!(RequestHeaders::header(&request, "x-a"), None);
    let read = |headers: &dyn RequestHeaders| {
        let mut lines = Vec::new();
        headers.header_lines("x-a", &mut |line| lines.push(line.to_owned()));
        lines
    };
    assert_eq!(read(&request), [b"1", b"2"]);
    assert_eq!(read(request.headers()), [b"1", b"2"]);
}
