//! Users have their own limit. All other callers are limited by address, with other numbers.

use crate::harness::client::{Client, Reply, Version};
use crate::harness::contract::User;
use crate::harness::limiters::limiters;
use crate::harness::server::serve;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use std::net::SocketAddr;

#[rate_limit(key = "search/user", count = 3, by = "user", skip_if = user.0.is_none())]
#[rate_limit(key = "search/address", count = 1, by = "ip", skip_if = user.0.is_some())]
async fn search(user: User, _: ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(user.0.unwrap_or_else(|| "anonymous".to_owned()))
}

fn assert_policy(reply: &Reply, status: u16, policy: &str) {
    assert_eq!((reply.status, reply.header("ratelimit-policy")), (status, Some(policy)), "{reply:?}");
    assert_eq!(reply.header("retry-after").is_some(), status == 429, "{reply:?}");
}

#[tokio::test]
async fn each_caller_has_the_limit_of_its_kind() {
    const OF_USER: &str = r#""search/user";q=3;w=60"#;
    const OF_ADDRESS: &str = r#""search/address";q=1;w=60"#;
    for limiter in limiters().await {
        let app = Router::new().route("/", get(search)).layer(RateLimitLayer::new().limiter(limiter));
        let server = serve(app).await;
        let (one, other) = (Client::new(server, Version::Http1), Client::new(server, Version::Http1));
        let user = async |client: &Client, id: &str| client.get_with("/", &[("x-user", id)]).await;

        assert_policy(&one.get("/").await, 200, OF_ADDRESS);
        assert_policy(&one.get("/").await, 429, OF_ADDRESS);
        // A user passes at this address, although the limit of the address is used up.
        for _ in 0..2 {
            assert_policy(&user(&one, "7").await, 200, OF_USER);
        }
        // The limit of a user is the same at another address.
        assert_policy(&user(&other, "7").await, 200, OF_USER);
        assert_policy(&user(&other, "7").await, 429, OF_USER);
        assert_policy(&user(&other, "8").await, 200, OF_USER);
        assert_policy(&other.get("/").await, 200, OF_ADDRESS);
        assert_policy(&other.get("/").await, 429, OF_ADDRESS);
    }
}
