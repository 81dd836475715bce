//! Permits and charges that end with the body of rocket's responses.

use super::{build, serve};
use crate::harness::limiters::until_free;
use crate::streams::contract::{self, BLOCKS, STREAMS};
use crate::streams::server::App;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use rocket::fs::NamedFile;
use rocket::http::ContentType;
use rocket::response::stream::{ByteStream, Event, EventStream, ReaderStream, TextStream};
use rocket::{State, get, local, routes};
use std::io::Cursor;
use std::path::Path;

fn chunks(app: &App) -> impl Stream<Item = Bytes> + Send + use<> {
    app.chunks().map(Result::unwrap)
}

fn texts(app: &App) -> impl Stream<Item = String> + Send + use<> {
    chunks(app).map(|chunk| String::from_utf8(chunk.to_vec()).unwrap())
}

#[get("/text")]
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
async fn text(app: &State<App>) -> TextStream![String] {
    let texts = texts(app);
    TextStream! {
        for await text in texts {
            yield text;
        }
    }
}

#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
#[get("/bytes")]
async fn binary(
    app: &State<App>,
) -> Result<(ContentType, ByteStream<impl Stream<Item = Bytes> + use<>>), Rejection> {
    Ok((ContentType::Binary, ByteStream(chunks(app))))
}

#[get("/events")]
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
async fn events(app: &State<App>) -> EventStream<impl Stream<Item = Event> + use<>> {
    EventStream::from(texts(app).map(Event::data))
}

#[get("/readers")]
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
async fn readers(app: &State<App>) -> ReaderStream![Cursor<Bytes>] {
    let chunks = chunks(app);
    ReaderStream! {
        for await chunk in chunks {
            yield Cursor::new(chunk);
        }
    }
}

#[get("/blocks")]
#[rate_limit(key = "blocks", limit = BLOCKS, by = "global", cost = 20, settle = contract::charge, until = "body_end")]
async fn blocks(app: &State<App>) -> Result<ByteStream<impl Stream<Item = Bytes> + use<>>, Rejection> {
    Ok(ByteStream(chunks(app)))
}

/// A file that may be missing, from a handler that returns a plain value.
#[get("/file/<name>")]
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end", fallible)]
async fn file(name: &str) -> Option<NamedFile> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    NamedFile::open(Path::new(directory).join(name)).await.ok()
}

#[tokio::test]
async fn keeps_the_contract_of_streams() {
    let serve = async |app: App| {
        let application = build().attach(RateLimitLayer::new().limiter(app.limits.clone())).manage(app);
        serve(application.mount("/", routes![text, binary, events, readers, blocks])).await
    };
    let streams = ["/text", "/bytes", "/events", "/readers"];
    contract::check(&streams, &[], serve).await;
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
    until_free(&limiter, &STREAMS, "streams", 1).await;
    assert_eq!(client.get("/file/missing").dispatch().await.status().code, 404);
    until_free(&limiter, &STREAMS, "streams", 1).await;
}
