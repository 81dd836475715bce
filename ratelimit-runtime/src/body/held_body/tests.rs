//! Tests that `HeldBody` sends what its inner body sends, and ends with it.

use super::*;
use crate::body::BodySent;
use crate::{Charge, Limit, RateLimiter};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Frames = VecDeque<Result<Frame<Bytes>, &'static str>>;

/// A body of prepared frames. If it is `eager`, it reports its end right after the last frame, before the next poll.
struct Prepared {
    frames: Frames,
    eager: bool,
}

impl Body for Prepared {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        Poll::Ready(self.frames.pop_front())
    }

    fn is_end_stream(&self) -> bool {
        self.eager && self.frames.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(7 * self.frames.len() as u64)
    }
}

/// The arguments with which `settle` was called.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<BodySent>>>);

impl Seen {
    fn all(&self) -> Vec<(u64, u32, bool)> {
        let seen = self.0.lock().unwrap();
        seen.iter().map(|sent| (sent.bytes(), sent.messages(), sent.is_complete())).collect()
    }
}

async fn charge() -> Charge {
    let limit = Limit::counter(100, Duration::from_secs(3600));
    RateLimiter::in_memory().charge(&limit, "bytes", 10).await.unwrap()
}

async fn held(frames: Frames, eager: bool) -> (HeldBody<Prepared>, Seen) {
    let seen = Seen::default();
    let (charge, seen_on_end) = (charge().await, seen.clone());
    let body = charge.settle_on_end(HeldBody::new(Prepared { frames, eager }), move |sent| {
        seen_on_end.0.lock().unwrap().push(sent);
        0
    });
    (body, seen)
}

async fn next(body: &mut HeldBody<Prepared>) -> Option<Result<Frame<Bytes>, &'static str>> {
    poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await
}

fn data(bytes: &'static str) -> Frame<Bytes> {
    Frame::data(Bytes::from_static(bytes.as_bytes()))
}

fn trailers() -> HeaderMap {
    HeaderMap::from_iter([(http::header::ETAG, HeaderValue::from_static("7"))])
}

#[tokio::test]
async fn frames_trailers_and_hints_are_those_of_the_body() {
    let (mut body, seen) = held([Ok(data("one")), Ok(Frame::trailers(trailers()))].into(), false).await;
    assert_eq!(body.size_hint().exact(), Some(14));
    assert!(!body.is_end_stream());
    assert_eq!(next(&mut body).await.unwrap().unwrap().into_data().unwrap(), "one");
    assert_eq!(next(&mut body).await.unwrap().unwrap().into_trailers().unwrap(), trailers());
    assert_eq!((body.size_hint().exact(), seen.all()), (Some(0), vec![]));
    assert!(next(&mut body).await.is_none());
    assert_eq!(seen.all(), [(3, 1, true)], "trailers are not counted");
    assert!(next(&mut body).await.is_none());
    drop(body);
    assert_eq!(seen.all().len(), 1, "it ends once");
}

#[tokio::test]
async fn a_body_that_knows_its_last_frame_ends_with_it() {
    let (mut body, seen) = held([Ok(data("one")), Ok(data("three"))].into(), true).await;
    assert!(next(&mut body).await.is_some() && seen.all().is_empty());
    assert!(next(&mut body).await.is_some());
    assert!(body.is_end_stream());
    assert_eq!(seen.all(), [(8, 2, true)]);
    let (_body, seen) = held([].into(), true).await;
    assert_eq!(seen.all(), [(0, 0, true)], "an empty body is not polled");
}

#[tokio::test]
async fn a_large_chunk_is_sent_in_pieces() {
    const LARGE: &[u8] = &[7; 150_000];
    let large = || Ok(Frame::data(Bytes::from_static(LARGE)));
    let (mut body, seen) = held([large(), Ok(data("end"))].into(), true).await;
    let (mut hints, mut lengths) = (vec![], vec![]);
    while !body.is_end_stream() {
        let piece = next(&mut body).await.unwrap().unwrap().into_data().unwrap();
        assert!(lengths.len() == 3 || piece.iter().all(|byte| *byte == 7));
        lengths.push(piece.len());
        hints.push(body.size_hint().exact().unwrap());
        assert_eq!(seen.all().is_empty(), lengths.len() < 4, "it ends with its last piece");
    }
    assert_eq!(lengths, [65_536, 65_536, 18_928, 3]);
    assert_eq!(hints, [84_464 + 7, 18_928 + 7, 7, 0]);
    assert_eq!(seen.all(), [(150_003, 2, true)], "two chunks, in any number of pieces");
    let (mut body, seen) = held([large()].into(), true).await;
    assert!(next(&mut body).await.is_some() && !body.is_end_stream());
    drop(body);
    assert_eq!(seen.all(), [(65_536, 1, false)], "what the server has not taken was not sent");
}

#[tokio::test]
async fn an_error_and_a_drop_cut_the_body() {
    let (mut body, seen) = held([Ok(data("one")), Err("broken")].into(), false).await;
    assert!(next(&mut body).await.unwrap().is_ok());
    assert_eq!(next(&mut body).await.unwrap().unwrap_err(), "broken");
    assert_eq!(seen.all(), [(3, 1, false)]);
    let (mut body, seen) = held([Ok(data("one")), Ok(data("two"))].into(), false).await;
    assert!(next(&mut body).await.is_some());
    drop(body);
    assert_eq!(seen.all(), [(3, 1, false)]);
    let (body, seen) = held([Ok(data("one"))].into(), false).await;
    drop(body);
    assert_eq!(seen.all(), [(0, 0, false)]);
}

#[tokio::test]
async fn a_content_length_says_when_a_response_is_complete() {
    for (length, complete) in [("3", true), ("4", false), ("x", false)] {
        let body =
            HeldBody::new(Prepared { frames: [Ok(data("one")), Ok(data("two"))].into(), eager: false });
        let seen = Seen::default();
        let seen_on_end = seen.clone();
        let response = Response::builder().header(CONTENT_LENGTH, length).body(body).unwrap();
        let response = charge().await.settle_on_end(response, move |sent| {
            seen_on_end.0.lock().unwrap().push(sent);
            0
        });
        let mut body = response.into_body();
        assert!(next(&mut body).await.is_some());
        drop(body);
        assert_eq!(seen.all(), [(3, 1, complete)]);
    }
}

#[tokio::test]
async fn a_body_holds_several_charges_and_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let (body, seen) = held([Ok(data("one"))].into(), false).await;
    let seen_on_end = seen.clone();
    let mut body = charge().await.settle_on_end(body, move |sent| {
        seen_on_end.0.lock().unwrap().push(sent);
        0
    });
    is_shared(&body);
    while next(&mut body).await.is_some() {}
    assert_eq!(seen.all(), [(3, 1, true), (3, 1, true)]);
}
