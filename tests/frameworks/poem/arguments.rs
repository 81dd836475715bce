//! Tests the arguments of poem handlers that identify the caller.

use super::server::{from, second};
use poem::http::StatusCode;
use poem::web::Data;
use poem::{Endpoint, EndpointExt, Request, handler};
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
async fn by_data(_: Data<&Caller>) -> Result<(), Rejection> {
    Ok(())
}

#[handler]
#[rate_limit(key = "optional", count = 1, by = "user")]
async fn by_optional_user(_user: Option<Data<&CurrentUser>>) -> Result<(), Rejection> {
    Ok(())
}

#[handler]
fn plain() {}

/// A limited middleware that is a function.
#[rate_limit(key = "around", count = 1, by = "ip")]
async fn around<E: Endpoint>(next: E, request: Request) -> poem::Result<E::Output> {
    next.call(request).await
}

/// Runs a future with its own limiter.
pub(super) async fn scoped<T>(future: impl Future<Output = T>) -> T {
    ratelimit::scope(RateLimiter::in_memory(), future).await
}

pub(super) async fn status(endpoint: &impl Endpoint, request: Request) -> StatusCode {
    endpoint.get_response(request).await.status()
}

#[tokio::test]
async fn values_of_a_middleware_identify() {
    scoped(async {
        let caller = |last| by_data.data(Caller(IpAddr::from([198, 51, 100, last])));
        assert_eq!(second(&caller(1), "/").await.status(), 429);
        assert_eq!(status(&caller(2), from(1, "/")).await, 200, "another caller behind the same peer");

        let user = |id| by_optional_user.data(CurrentUser(id));
        assert_eq!(second(&user(1), "/").await.status(), 429);
        assert_eq!(status(&user(2), from(1, "/")).await, 200);
        assert_eq!(status(&by_optional_user, from(1, "/")).await, 400);
    })
    .await;
}

#[tokio::test]
async fn a_middleware_that_is_a_function_is_limited() {
    scoped(async { assert_eq!(second(&plain.around(around), "/").await.status(), 429) }).await;
}
