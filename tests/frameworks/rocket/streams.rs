//! Permits and charges that end with the body of rocket's responses.

use super::{build, serve};
use crate::harness::client::{Client, Version};
use crate::harness::limiters::until_free;
use futures_util::Stream;
use futures_util::stream::unfold;
use ratelimit::{Limit, RateLimitLayer, RateLimiter, Rejection, Sent, rate_limit};
use rocket::fs::NamedFile;
use rocket::http::ContentType;
use rocket::response::stream::{ByteStream, Event, EventStream, ReaderStream, TextStream};
use rocket::{State, get, local, routes};
use std::io::Cursor;
use std::path::Path;
use std::sync::Mutex;
use support::MINUTE;
use tokio::sync::mpsc;

const ONE: Limit = Limit::concurrency(1, MINUTE);

/// The chunks of the next response.
#[derive(Default)]
struct Chunks(Mutex<Option<mpsc::Receiver<&'static str>>>);

impl Chunks {
    fn take(&self) -> impl Stream<Item = &'static str> + Send + use<> {
        let chunks = self.0.lock().unwrap().take().unwrap();
        unfold(chunks, |mut chunks| async { chunks.recv().await.map(|chunk| (chunk, chunks)) })
    }
}

#[get("/text")]
#[rate_limit(key = "stream", count = 1, algorithm = "concurrency", by = "global", until = "body_end")]
async fn text(chunks: &State<Chunks>) -> TextStream![&'static str] {
    let chunks = chunks.take();
    TextStream! {
        for await chunk in chunks {
            yield chunk;
        }
    }
}

#[rate_limit(key = "stream", count = 1, algorithm = "concurrency", by = "global", until = "body_end")]
#[get("/bytes")]
async fn bytes(
    chunks: &State<Chunks>,
) -> Result<(ContentType, ByteStream<impl Stream<Item = &'static str> + use<>>), Rejection> {
    Ok((ContentType::Binary, ByteStream(chunks.take())))
}

#[get("/events")]
#[rate_limit(key = "stream", count = 1, algorithm = "concurrency", by = "global", until = "body_end")]
async fn events(chunks: &State<Chunks>) -> EventStream<impl Stream<Item = Event> + use<>> {
    EventStream::from(futures_util::StreamExt::map(chunks.take(), Event::data))
}

#[get("/readers")]
#[rate_limit(key = "stream", count = 1, algorithm = "concurrency", by = "global", until = "body_end")]
async fn readers(chunks: &State<Chunks>) -> ReaderStream![Cursor<&'static str>] {
    let chunks = chunks.take();
    ReaderStream! {
        for await chunk in chunks {
            yield Cursor::new(chunk);
        }
    }
}

/// A file that may be missing, from a handler that returns a plain value.
#[get("/file/<name>")]
#[rate_limit(
    key = "stream",
    count = 1,
    algorithm = "concurrency",
    by = "global",
    until = "body_end",
    fallible
)]
async fn file(name: &str) -> Option<NamedFile> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    NamedFile::open(Path::new(directory).join(name)).await.ok()
}

/// A permit is held while the body is sent, and free when it ends, fails, or is cut by the client.
#[tokio::test]
async fn permits_last_until_the_body_ends() {
    let limiter = RateLimiter::in_memory();
    let application = build().attach(RateLimitLayer::new().limiter(limiter.clone()));
    let application = application.manage(Chunks::default()).mount("/", routes![text, bytes, events, readers]);
    let rocket = application.ignite().await.unwrap();
    for (path, first) in
        [("/text", "one"), ("/bytes", "one"), ("/events", "data:one\n\n"), ("/readers", "one")]
    {
        for cut in [false, true] {
            let (sender, receiver) = mpsc::channel(1);
            let application = build().attach(RateLimitLayer::new().limiter(limiter.clone()));
            let application = application.manage(Chunks(Mutex::new(Some(receiver))));
            let server = serve(application.mount("/", rocket.routes().cloned().collect::<Vec<_>>())).await;
            let client = Client::new(server, Version::Http1);
            let mut response = client.request(path).send().await.unwrap();
            assert_eq!(response.status(), 200, "{path}");
            sender.send("one").await.unwrap();
            let mut read = String::new();
            // A stream of events begins with a heartbeat.
            while !read.ends_with(first) {
                read.push_str(std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap());
            }
            let refused = client.get(path).await;
            assert_eq!(refused.status, 429, "{path}: {refused:?}");
            if cut {
                drop(response);
                // rocket notices it when it sends the next chunks.
                while sender.send("more").await.is_ok() {}
            } else {
                drop(sender);
                response.bytes().await.unwrap();
            }
            until_free(&limiter, &ONE, "stream", 1).await;
        }
    }
}

#[tokio::test]
async fn a_file_holds_its_permit_until_it_was_read() {
    let limiter = RateLimiter::in_memory();
    let application =
        build().attach(RateLimitLayer::new().limiter(limiter.clone())).mount("/", routes![file]);
    let client = local::asynchronous::Client::untracked(application).await.unwrap();
    let response = client.get("/file/Cargo.toml").dispatch().await;
    assert_eq!(client.get("/file/Cargo.toml").dispatch().await.status().code, 429);
    assert!(response.into_string().await.unwrap().contains("[package]"));
    until_free(&limiter, &ONE, "stream", 1).await;
    assert_eq!(client.get("/file/missing").dispatch().await.status().code, 404);
    until_free(&limiter, &ONE, "stream", 1).await;
}

const BYTES: Limit = Limit::counter(1000, MINUTE);

#[get("/sized")]
#[rate_limit(key = "sent", count = 1000, by = "global", cost = 1000, until = "body_end", settle = |sent: Sent| charge(sent))]
async fn sized() -> Result<(ContentType, ByteStream<impl Stream<Item = Vec<u8>>>), Rejection> {
    let chunks = futures_util::stream::iter([vec![b'a'; 300], vec![b'b'; 100]]);
    Ok((ContentType::Binary, ByteStream(chunks)))
}

fn charge(sent: Sent) -> u32 {
    if sent.is_complete() { u32::try_from(sent.bytes()).unwrap() } else { 1000 }
}

/// The cost of a call is what was sent.
#[tokio::test]
async fn bytes_are_charged_when_they_are_sent() {
    let limiter = RateLimiter::in_memory();
    let application =
        build().attach(RateLimitLayer::new().limiter(limiter.clone())).mount("/", routes![sized]);
    let client = Client::new(serve(application).await, Version::Http1);
    let reply = client.get("/sized").await;
    assert_eq!((reply.status, reply.body.len()), (200, 400), "{reply:?}");
    until_free(&limiter, &BYTES, "sent", 600).await;
    assert_eq!(client.get("/sized").await.status, 429);
}
