//! Handlers whose client is in an unusual place, and costs that are always zero.

use axum::Extension;
use axum::extract::ConnectInfo;
use ratelimit::context::RequestContext;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::{IpAddr, SocketAddr};

#[rate_limit(count = 1, by = "ip")]
async fn of_an_extension(
    Extension(ConnectInfo(peer)): Extension<ConnectInfo<SocketAddr>>,
) -> Result<SocketAddr, Rejection> {
    Ok(peer)
}

#[rate_limit(count = 1, by = "ip")]
async fn of_grpc(request: tonic::Request<()>) -> Result<(), tonic::Status> {
    request.into_inner();
    Ok(())
}

#[rate_limit(count = 5, by = "global", cost = payload.len() / 1024)]
async fn free(payload: &[u8]) -> Result<(), Rejection> {
    let _ = payload;
    Ok(())
}

#[tokio::test]
async fn the_peer_is_found_in_an_extension() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        let call = |last| of_an_extension(Extension(ConnectInfo(SocketAddr::from(([203, 0, 113, last], 9)))));
        assert!(call(7).await.is_ok());
        assert!(call(7).await.is_err());
        assert!(call(8).await.is_ok());
    })
    .await;
}

/// A handler of HTTP calls the method of a gRPC service with a request that it has made itself.
#[tokio::test]
async fn a_request_without_a_peer_has_the_client_of_the_context() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        let call = |last| {
            let context = RequestContext::new().with_client_ip(IpAddr::from([203, 0, 113, last]));
            context.scope(of_grpc(tonic::Request::new(())))
        };
        assert!(call(7).await.is_ok());
        assert_eq!(call(7).await.unwrap_err().code(), tonic::Code::ResourceExhausted);
        assert!(call(8).await.is_ok());
        let unknown = of_grpc(tonic::Request::new(())).await;
        assert_eq!(unknown.unwrap_err().code(), tonic::Code::Unavailable);
    })
    .await;
}

#[tokio::test]
async fn a_cost_that_is_always_zero_is_reported_once() {
    let _ = support::take_events();
    ratelimit::scope(RateLimiter::in_memory(), async {
        for _ in 0..300 {
            assert!(free(b"small").await.is_ok());
        }
    })
    .await;
    let reported =
        support::take_events().iter().filter(|event| event.to_string().contains("was zero")).count();
    assert_eq!(reported, 1);
}
