//! Streams without a web framework, such as the subscriptions of GraphQL: a permit is held until the stream ends.

use futures_util::stream::{self, BoxStream, LocalBoxStream};
use futures_util::{Stream, StreamExt};
use ratelimit::body::BodySent;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Declares functions that return a stream. One stream at a time may exist.
macro_rules! streams {
    ($($name:ident -> $returned:ty { $stream:expr })*) => {
        $(#[rate_limit(algorithm = "concurrency", count = 1, by = "global", until = "body_end")]
        async fn $name() -> $returned {
            $stream
        })*
    };
}

fn numbers() -> stream::Iter<std::ops::Range<u32>> {
    stream::iter(0..3)
}

streams! {
    opaque -> impl Stream<Item = u32> + Send + Unpin + 'static { numbers() }
    opaque_in_a_result -> Result<impl Stream<Item = u32>, Rejection> { Ok(numbers()) }
    boxed -> Result<BoxStream<'static, u32>, Rejection> { Ok(numbers().boxed()) }
    local -> Result<LocalBoxStream<'static, u32>, Rejection> { Ok(numbers().boxed_local()) }
    of_the_standard_library -> Result<Pin<Box<dyn Stream<Item = u32> + Send>>, Rejection> { Ok(Box::pin(numbers())) }
}

#[rate_limit(algorithm = "concurrency", count = 1, by = "global", until = "body_end")]
fn of_a_future(text: &str) -> impl Future<Output = Result<impl Stream<Item = char> + use<>, Rejection>> {
    let text = text.to_owned();
    async move { Ok(stream::iter(text.chars().collect::<Vec<_>>())) }
}

/// Calls the function until the permit, which is returned in the background, is free.
async fn once_free<S, F: Future<Output = Result<S, Rejection>>>(call: impl Fn() -> F) -> S {
    for _ in 0..1000 {
        if let Ok(stream) = call().await {
            return stream;
        }
        tokio::task::yield_now().await;
    }
    panic!("the permit is not returned");
}

#[tokio::test]
async fn a_permit_lasts_as_long_as_the_stream() {
    macro_rules! check {
        ($($call:expr;)*) => {$({
            let call = $call;
            let mut first = Box::pin(call().await.unwrap_or_else(|_| panic!("{}", stringify!($call))));
            assert!(first.next().await.is_some());
            assert!(call().await.is_err(), "{}", stringify!($call));
            drop(first); // the client has gone away
            let whole = once_free(&call).await;
            assert!(call().await.is_err());
            assert_eq!(whole.count().await, 3, "{}", stringify!($call));
            drop(once_free(&call).await);
        })*};
    }
    ratelimit::scope(RateLimiter::in_memory(), async {
        check! { opaque; opaque_in_a_result; boxed; local; of_the_standard_library; || of_a_future("abc"); }
    })
    .await;
}

/// `settle` learns how many items were taken, and whether the stream has ended.
#[tokio::test]
async fn a_charge_is_settled_when_the_stream_ends() {
    #[rate_limit(count = 100, by = "global", until = "body_end", settle = move |sent| report(&found, sent))]
    async fn tokens(found: Arc<AtomicU32>) -> Result<impl Stream<Item = u32>, Rejection> {
        Ok(numbers())
    }
    fn report(found: &AtomicU32, sent: BodySent) -> u32 {
        found.store(sent.messages() * 10 + u32::from(sent.is_complete()), Ordering::SeqCst);
        sent.messages()
    }
    ratelimit::scope(RateLimiter::in_memory(), async {
        let found = Arc::new(AtomicU32::new(0));
        let mut cut = Box::pin(tokens(found.clone()).await.unwrap());
        assert_eq!(cut.next().await, Some(0));
        drop(cut);
        assert_eq!(found.load(Ordering::SeqCst), 10, "one item, and cut");
        assert_eq!(tokens(found.clone()).await.unwrap().count().await, 3);
        assert_eq!(found.load(Ordering::SeqCst), 31, "three items, and complete");
    })
    .await;
}
