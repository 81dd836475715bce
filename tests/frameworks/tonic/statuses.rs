//! The status of each rejection: its code, message, `RetryInfo` and pushback, and what it must not contain.

use super::service::{serve, serve_in};
use super::wire::Client;
use crate::harness::limiters::failing;
use ratelimit::clock::ManualClock;
use ratelimit::{Key, Limit, MemoryStore, RateLimitLayer, RateLimiter, Rejection};
use std::error::Error as _;
use std::time::Duration;
use support::MINUTE;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Returns the status of the second call of a limit.
async fn refused(limit: Limit) -> Status {
    let store = MemoryStore::with_clock(ManualClock::new());
    let limiter = RateLimiter::builder().store(store).connect().await.unwrap();
    let key = || Key::new("search").by("ann-7");
    let _ = limiter.check(&limit, key()).await;
    limiter.check(&limit, key()).await.unwrap_err().into()
}

fn parts(status: &Status) -> (Code, &str, Option<Duration>, &str) {
    let delay = status.get_details_retry_info().map(|info| info.retry_delay.unwrap());
    let pushback = status.metadata().get("grpc-retry-pushback-ms").unwrap().to_str().unwrap();
    (status.code(), status.message(), delay, pushback)
}

#[tokio::test]
async fn a_refusal_says_when_to_try_again() {
    let refused = refused(Limit::counter(1, Duration::from_millis(1500))).await;
    let expected = Duration::from_millis(1500);
    let text = "too many requests: try again in 2 seconds";
    assert_eq!(parts(&refused), (Code::ResourceExhausted, text, Some(expected), "1500"));
    // Code that handles a status on the server finds the rejection, which is not sent to the client.
    let rejection = refused.source().unwrap().downcast_ref::<Rejection>().unwrap();
    assert_eq!(rejection.name(), "search");
    let sent = refused.into_http::<()>();
    assert!(!format!("{:?}", sent.headers()).contains("search"), "{sent:?}");
}

#[tokio::test]
async fn a_call_that_never_passes_is_not_tried_again() {
    let closed = refused(Limit::try_counter(0, MINUTE).unwrap()).await;
    let text = "too many requests: this limit is closed";
    assert_eq!(parts(&closed), (Code::ResourceExhausted, text, None, "-1"));
    assert_eq!(closed.details(), b"");
}

/// The status contains no delay, so the client's own backoff decides.
#[tokio::test]
async fn nobody_knows_when_a_permit_will_be_returned() {
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::concurrency(1, MINUTE));
    let _held = limiter.permit(&limit, "search").await.unwrap();
    let refused = Status::from(limiter.permit(&limit, "search").await.unwrap_err());
    let text = "too many requests at the same time: try again later";
    assert_eq!((refused.code(), refused.message()), (Code::ResourceExhausted, text));
    assert!(refused.details().is_empty() && !refused.metadata().contains_key("grpc-retry-pushback-ms"));
}

/// The protocol's pushback is a signed 32-bit integer, so a longer wait becomes the largest integer.
#[tokio::test]
async fn a_long_pushback_is_the_longest_one() {
    let month = Duration::from_secs(30 * 24 * 60 * 60);
    let refused = refused(Limit::counter(1, month)).await;
    let (_, _, delay, pushback) = parts(&refused);
    assert_eq!((delay, pushback), (Some(month), "2147483647"));
}

#[tokio::test]
async fn a_store_that_fails_is_unavailable() {
    let server = serve(failing().await).await;
    // Each path has another kind of limit: an attribute with the address among its arguments, an attribute that uses the
    // request context, and the layer's limit.
    for path in ["/test.Limits/Login", "/test.Limits/Context", "/test.Layered/Plain"] {
        let status = Client::new(server, 2).call(path).await.unwrap_err();
        let text = "temporarily unavailable: try again in 1 second";
        let expected = (Code::Unavailable, text, Some(Duration::from_secs(1)), "1000");
        assert_eq!(parts(&status), expected, "{path}");
        assert!(!format!("{status:?}").contains("the store fails"), "{status:?}");
    }
}

#[tokio::test]
async fn the_layer_corrects_a_status_that_has_swallowed_a_refusal() {
    let layer = || RateLimitLayer::new().limiter(RateLimiter::in_memory());
    for (layer, code, other) in [
        (layer(), Code::ResourceExhausted, Code::NotFound),
        (layer().correct_status(true), Code::ResourceExhausted, Code::ResourceExhausted),
        (layer().correct_status(false), Code::Internal, Code::NotFound),
    ] {
        let client = Client::new(serve_in(layer).await, 2);
        assert!(client.call("/test.Limits/Swallowed").await.is_ok());
        let swallowed = client.call("/test.Limits/Swallowed").await.unwrap_err();
        let (sent, text, delay, pushback) = parts(&swallowed);
        assert_eq!((sent, text), (code, "something went wrong"));
        assert_eq!(delay.unwrap().as_millis().to_string(), pushback);
        // If the application has written its own pushback into the status, the status stays.
        let own = client.call("/test.Limits/Own").await.unwrap_err();
        assert_eq!((own.code(), own.details()), (Code::Aborted, b"".as_slice()), "{own:?}");
        // If the layer leaves the code alone, the application's details stay, too. They would contradict a corrected code, so
        // the layer then replaces them.
        let detailed = client.call("/test.Limits/Detailed").await.unwrap_err();
        assert_eq!(detailed.code(), code);
        let reason = detailed.get_details_error_info().map(|info| info.reason);
        assert_eq!(reason.as_deref(), (code == Code::Internal).then_some("BUSY"), "{detailed:?}");
        assert!(detailed.metadata().contains_key("grpc-retry-pushback-ms"), "{detailed:?}");
        // By default, the layer corrects only the codes `Internal` and `Unknown`, which no application chooses for a refusal.
        let hidden = client.call("/test.Limits/Hidden").await.unwrap_err();
        assert_eq!(hidden.code(), other, "{hidden:?}");
        assert!(hidden.metadata().contains_key("grpc-retry-pushback-ms"), "{hidden:?}");
        // A success is kept, because the handler has dealt with the refusal.
        let handled = client.call("/test.Limits/Handled").await.unwrap();
        assert!(!handled.metadata().contains_key("grpc-retry-pushback-ms"), "{handled:?}");
    }
}
