//! `Permit::hold` and `Charge::settle_on_end`, without the attribute; and permits that are moved into a task.

use super::server::{App, chunk, everywhere};
use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{Limit, Rejection};
use std::time::Duration;
use support::HOUR;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const STREAMS: Limit = Limit::concurrency(2, Duration::from_secs(30));
const BYTES: Limit = Limit::counter(1000, HOUR);

async fn download(State(app): State<App>) -> Result<Response, Rejection> {
    let permit = app.limits.permit(&STREAMS, "streams").await?;
    let charge = app.limits.charge(&BYTES, "bytes", 1).await?;
    let response = charge.settle_on_end(app.body().into_response(), |sent| sent.blocks(1));
    Ok(permit.hold(response))
}

async fn socket(State(app): State<App>, upgrade: WebSocketUpgrade) -> Result<Response, Rejection> {
    let permit = app.limits.permit(&STREAMS, "streams").await?;
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        while let Some(Ok(_)) = socket.recv().await {}
        drop(permit);
    }))
}

fn router() -> Router<App> {
    Router::new().route("/download", get(download)).route("/socket", get(socket))
}

#[tokio::test]
async fn a_response_holds_a_permit_and_a_charge() {
    everywhere(router, async |site| {
        let body = site.app.next_body();
        let response = site.get("/download").await;
        site.app.until_free(&STREAMS, "streams", 1).await;
        site.app.until_free(&BYTES, "bytes", 999).await;
        body.send(chunk(300)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 300);
        site.app.until_free(&BYTES, "bytes", 700).await;
        site.app.until_free(&STREAMS, "streams", 2).await;
    })
    .await;
}

#[tokio::test]
async fn the_task_of_a_socket_holds_a_permit() {
    everywhere(router, async |site| {
        let mut socket = TcpStream::connect(site.address).await.unwrap();
        let request = "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                       sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        socket.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 101");
        site.app.until_free(&STREAMS, "streams", 1).await;
        drop(socket);
        site.app.until_free(&STREAMS, "streams", 2).await;
    })
    .await;
}
