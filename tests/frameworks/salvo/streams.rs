//! Permits and charges that end with the body that a handler writes into salvo's response.

use super::server;
use crate::harness::client::{Client, Version};
use crate::streams::contract::{self, BLOCKS, STREAMS};
use crate::streams::server::{App, chunk};
use futures_util::StreamExt;
use ratelimit::body::BodySent;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use salvo::http::{ResBody, StatusResult};
use salvo::prelude::*;
use salvo::sse::{self, SseEvent, SseKeepAlive};
use std::net::SocketAddr;
use support::MINUTE;

/// Puts the state into the depot, like the middlewares of applications.
struct State(App);

#[async_trait]
impl Handler for State {
    async fn handle(&self, _: &mut Request, depot: &mut Depot, _: &mut Response, _: &mut FlowCtrl) {
        depot.insert_typed(self.0.clone());
    }
}

fn app(depot: &Depot) -> &App {
    depot.get_typed().unwrap()
}

/// Declares handlers that share one permit.
macro_rules! streams {
    ($($name:ident($depot:ident, $res:ident) $(-> $returned:ty)? $body:block)*) => {
        $(#[handler]
        #[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
        async fn $name($depot: &mut Depot, $res: &mut Response) $(-> $returned)? $body)*

        fn streams() -> Vec<Router> {
            vec![$(Router::with_path(stringify!($name)).goal($name)),*]
        }
    };
}

streams! {
    stream(depot, res) {
        res.stream(app(depot).chunks());
    }
    streamed_body(depot, res) -> Result<(), Rejection> {
        res.body(ResBody::stream(app(depot).chunks()));
        Ok(())
    }
    channel_body(depot, res) -> StatusResult<()> {
        let (chunks, mut sender) = (app(depot).chunks(), res.channel());
        tokio::spawn(async move {
            let mut chunks = Box::pin(chunks);
            while let Some(Ok(chunk)) = chunks.next().await {
                if sender.send_data(chunk).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }
    missing(depot, _res) -> StatusResult<()> {
        let _ = depot;
        Err(StatusError::not_found())
    }
    rendered_error(depot, res) {
        let _ = depot;
        res.render(StatusError::not_found());
    }
    whole(depot, res) -> Result<(), Rejection> {
        let _ = depot;
        res.render("whole");
        Ok(())
    }
    nothing(depot, res) {
        let _ = (depot, res);
    }
}

/// The order of the attributes does not matter.
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
#[handler]
async fn above(res: &mut Response, depot: &mut Depot) {
    res.stream(app(depot).chunks());
}

#[handler]
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
async fn events(depot: &mut Depot, res: &mut Response) {
    let ticks = app(depot).chunks().map(|chunk| chunk.map(|_| SseEvent::default().text("tick")));
    SseKeepAlive::new(ticks).max_interval(MINUTE).stream(res);
}

/// Above `#[handler]`, `fallible` changes the signature before `#[handler]` reads it.
#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end", fallible)]
#[handler]
async fn plain_events(depot: &mut Depot, res: &mut Response) {
    let ticks = app(depot).chunks().map(|chunk| chunk.map(|_| SseEvent::default().text("tick")));
    sse::stream(res, ticks);
}

#[handler]
async fn by_hand(depot: &mut Depot, res: &mut Response) -> Result<(), Rejection> {
    let permit = app(depot).limits.permit(&STREAMS, "streams").await?;
    res.body = permit.hold(ResBody::stream(app(depot).chunks()));
    Ok(())
}

#[handler]
#[rate_limit(key = "blocks", limit = BLOCKS, by = "global", cost = 20, settle = contract::charge, until = "body_end")]
async fn blocks(depot: &mut Depot, res: &mut Response) {
    res.stream(app(depot).chunks());
}

/// Charges only for complete files.
#[handler]
#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent: BodySent| u32::from(sent.is_complete()),
    until = "body_end"
)]
async fn file(depot: &mut Depot, res: &mut Response) -> StatusResult<()> {
    res.headers_mut().insert("content-length", 1500.into());
    res.stream(app(depot).chunks());
    Ok(())
}

async fn serve(app: App) -> SocketAddr {
    let routes = Router::new()
        .hoop(RateLimitLayer::new().limiter(app.limits.clone()))
        .hoop(State(app))
        .append(&mut streams())
        .push(Router::with_path("above").get(above))
        .push(Router::with_path("events").get(events))
        .push(Router::with_path("plain_events").get(plain_events))
        .push(Router::with_path("by_hand").get(by_hand))
        .push(Router::with_path("blocks").goal(blocks))
        .push(Router::with_path("file").get(file));
    server::start(routes).await
}

const STREAMING: [&str; 7] =
    ["/stream", "/streamed_body", "/channel_body", "/above", "/events", "/plain_events", "/by_hand"];

#[tokio::test]
async fn keeps_the_contract_of_streams() {
    let finished = [("/missing", 404), ("/rendered_error", 404), ("/whole", 200), ("/nothing", 200)];
    contract::check(&STREAMING, &finished, serve).await;
}

/// salvo drops the body of a response to `HEAD`, so the body counts as cut. A response to `GET` is complete when its
/// `content-length` was sent, even if the stream could send more.
#[tokio::test]
async fn a_response_may_end_before_its_stream() {
    let app = App::new(RateLimiter::in_memory());
    let client = Client::new(serve(app.clone()).await, Version::Http1);
    let _body = app.next_body();
    assert_eq!(client.head("/blocks").send().await.unwrap().status(), 200);
    app.until_free(&BLOCKS, "blocks", 70).await;
    let body = app.next_body();
    body.send(chunk(1500)).await.unwrap();
    let response = client.request("/file").send().await.unwrap();
    drop(body);
    response.bytes().await.unwrap();
    app.until_free(&BLOCKS, "blocks", 69).await;
}
