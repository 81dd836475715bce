//! The contract of `harness/contract.rs` for gRPC.

use super::service::serve;
use super::wire::{Client, Note};
use crate::harness::limiters::limiters;
use std::time::Duration;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

#[tokio::test]
async fn keeps_the_contract() {
    for limiter in limiters().await {
        let server = serve(limiter).await;
        addresses(&Client::new(server, 2), &Client::new(server, 3)).await;
        metadata_and_users(&Client::new(server, 4)).await;
        stacks(&Client::new(server, 5)).await;
        contexts(&Client::new(server, 6)).await;
        mending(&Client::new(server, 7)).await;
    }
}

/// Asserts a refusal that asks to wait at most `most_seconds`. The wait may be shorter, because time passes between two
/// calls.
#[track_caller]
fn assert_refused(status: &Status, most_seconds: u64) {
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    assert!(status.message().starts_with("too many requests"), "{status:?}");
    assert_wait(status, most_seconds);
}

/// Asserts that `RetryInfo` and the pushback contain the same wait.
#[track_caller]
fn assert_wait(status: &Status, most_seconds: u64) {
    let info = status.get_details_retry_info().expect("RetryInfo");
    let delay = info.retry_delay.expect("a delay");
    let most = Duration::from_secs(most_seconds);
    assert!(delay <= most && delay >= most.saturating_sub(Duration::from_secs(30)), "{status:?}");
    assert_eq!(pushback(status), Some(delay.as_millis().to_string().as_str()), "{status:?}");
}

fn pushback(status: &Status) -> Option<&str> {
    status.metadata().get("grpc-retry-pushback-ms").map(|value| value.to_str().unwrap())
}

/// Each client address has its own limit.
async fn addresses(client: &Client, other: &Client) {
    for _ in 0..2 {
        let answer = client.call("/test.Limits/Login").await.unwrap();
        assert_eq!(answer.get_ref().text, "welcome");
        let metadata = answer.metadata();
        assert!(!metadata.contains_key("ratelimit") && !metadata.contains_key("grpc-retry-pushback-ms"));
    }
    let refused = client.call("/test.Limits/Login").await.unwrap_err();
    assert_refused(&refused, 60);
    assert!(!refused.metadata().contains_key("ratelimit"), "{refused:?}");
    assert_says_nothing(&refused, &client.address.to_string());
    assert!(other.call("/test.Limits/Login").await.is_ok());
    assert!(client.call("/test.Limits/Plain").await.is_ok());
}

/// Asserts that a status contains neither the key nor the identity. The key contains the identity, so one search is enough.
fn assert_says_nothing(status: &Status, identity: &str) {
    let said = format!("{status:?} {}", String::from_utf8_lossy(status.details()));
    assert!(!said.contains(identity), "{said}");
}

/// Metadata is read like headers. An interceptor has put the user into the extensions.
async fn metadata_and_users(client: &Client) {
    for (path, name) in [
        ("/test.Limits/Key", "x-api-key"),
        ("/test.Limits/ContextHeader", "x-api-key"),
        ("/test.Limits/User", "x-user"),
        ("/test.Limits/ContextUser", "x-user"),
    ] {
        assert!(client.call_with(path, &[(name, "ann-7")]).await.is_ok(), "{path}");
        let refused = client.call_with(path, &[(name, "ann-7")]).await.unwrap_err();
        assert_refused(&refused, 60);
        assert_says_nothing(&refused, "ann-7");
        assert!(client.call_with(path, &[(name, "bob-8")]).await.is_ok(), "{path}");
        assert_unidentified(&client.call(path).await.unwrap_err());
    }
    let twice = [("x-api-key", "ann-7"), ("x-api-key", "zoe-9")];
    for path in ["/test.Limits/Key", "/test.Limits/ContextHeader"] {
        assert_unidentified(&client.call_with(path, &twice).await.unwrap_err());
    }
    // Binary metadata has several spellings: `YQ` and `YQ==` are one value.
    let mut request = Request::new(Note::default());
    request.metadata_mut().insert_bin("x-api-key-bin", tonic::metadata::MetadataValue::from_bytes(b"a"));
    assert_unidentified(&client.send("/test.Limits/BinaryKey", request).await.unwrap_err());
    // `by` is a field of the message. The handler changes this field, so it declares `mut request`.
    let tenant = |name: &str| client.send("/test.Limits/Tenant", Request::new(Note::new(name)));
    assert_eq!(tenant("acme").await.unwrap().get_ref().text, "acme!");
    assert_refused(&tenant("acme").await.unwrap_err(), 60);
    assert!(tenant("globex").await.is_ok());
}

/// Asserts that a call is rejected as unidentified. The same call never passes, so the status tells clients not to try
/// again.
fn assert_unidentified(status: &Status) {
    assert_eq!((status.code(), pushback(status)), (Code::Unauthenticated, Some("-1")), "{status:?}");
    assert_eq!(status.message(), "this request does not say who calls");
    assert!(status.get_details_retry_info().is_none(), "{status:?}");
}

/// The limits of a stack are decided together. The status describes the limit that refused.
async fn stacks(client: &Client) {
    for _ in 0..2 {
        assert!(client.call("/test.Limits/Stack").await.is_ok());
    }
    assert_refused(&client.call("/test.Limits/Stack").await.unwrap_err(), 3600);
    let never = client.call("/test.Limits/Never").await.unwrap_err();
    assert_eq!((never.code(), pushback(&never)), (Code::ResourceExhausted, Some("-1")), "{never:?}");
    assert!(never.get_details_retry_info().is_none(), "{never:?}");
}

/// Functions without a request use the request context. Spawned tasks do not have this context.
async fn contexts(client: &Client) {
    assert!(client.call("/test.Limits/Context").await.is_ok());
    assert_refused(&client.call("/test.Limits/Context").await.unwrap_err(), 60);
    let lost = client.call("/test.Limits/Spawned").await.unwrap_err();
    assert_eq!((lost.code(), pushback(&lost)), (Code::Unavailable, Some("1000")), "{lost:?}");
    assert_wait(&lost, 1);
    assert_eq!(lost.message(), "temporarily unavailable: try again in 1 second");
    assert!(client.call("/test.Layered/Plain").await.is_ok());
    // The message of a refused request is not read. Clients receive the status nevertheless.
    for _ in 0..50 {
        assert_refused(&client.call("/test.Layered/Plain").await.unwrap_err(), 60);
    }
}

/// The layer corrects a status that has swallowed a refusal, and adds the time to wait.
async fn mending(client: &Client) {
    assert!(client.call("/test.Limits/Swallowed").await.is_ok());
    let swallowed = client.call("/test.Limits/Swallowed").await.unwrap_err();
    assert_eq!((swallowed.code(), swallowed.message()), (Code::ResourceExhausted, "something went wrong"));
    assert_wait(&swallowed, 60);
}
