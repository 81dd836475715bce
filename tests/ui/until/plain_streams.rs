// The compiler warns about a limit that ends before a stream outside of web frameworks, also if other lints are allowed.

#![deny(unused_must_use)]
#![allow(deprecated)]

use futures_util::stream::{self, BoxStream, Iter, Stream};
use ratelimit::{Rejection, rate_limit};
use std::ops::Range;
use std::pin::Pin;

fn numbers() -> Iter<Range<u32>> { stream::iter(0..3) }

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn opaque() -> impl Stream<Item = u32> { numbers() }

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn opaque_in_a_result() -> Result<impl Stream<Item = u32>, Rejection> { Ok(numbers()) }

#[rate_limit(settle = |_| 5, by = "global")]
async fn boxed() -> Result<BoxStream<'static, u32>, Rejection> { Ok(Box::pin(numbers())) }

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn pinned() -> Result<Pin<Box<dyn Stream<Item = u32> + Send>>, Rejection> { Ok(Box::pin(numbers())) }

type NumberStream = Iter<Range<u32>>;

#[rate_limit(algorithm = "concurrency", count = 5)]
async fn named() -> Result<NumberStream, Rejection> { Ok(numbers()) }

struct PendingSubscriptionSink;

#[rate_limit(count = 5)]
async fn subscription(pending: PendingSubscriptionSink) -> Result<(), Rejection> { drop(pending); Ok(()) }

// These are as they should be.

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn held() -> Result<impl Stream<Item = u32>, Rejection> { Ok(numbers()) }

#[rate_limit(algorithm = "concurrency", count = 5, until = "return")]
async fn intended() -> Result<NumberStream, Rejection> { Ok(numbers()) }

#[rate_limit(count = 5)]
async fn counted() -> Result<NumberStream, Rejection> { Ok(numbers()) }

fn spawn<T>(_: T) {}
#[rate_limit(count = 5, on_limit = |rejection| { spawn((pending, rejection)); Ok(()) })]
async fn rejected(pending: PendingSubscriptionSink) -> Result<(), Rejection> { drop(pending); Ok(()) }

fn main() {}
