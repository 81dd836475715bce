//! `Permit::hold` and `Charge::settle_on_end`, without the attribute; and permits that are moved into a task.

use super::contract::{VERSIONS, everywhere};
use super::server::{App, chunk};
use crate::harness::server;
use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{Limit, Rejection};
use std::net::SocketAddr;
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

async fn serve(app: App) -> SocketAddr {
    let routes = Router::new().route("/download", get(download)).route("/socket", get(socket));
    server::serve(routes.with_state(app)).await
}

#[tokio::test]
async fn a_response_holds_a_permit_and_a_charge() {
    everywhere(&VERSIONS, serve, async |app, client| {
        let body = app.next_body();
        let response = client.request("/download").send().await.unwrap();
        app.until_free(&STREAMS, "streams", 1).await;
        app.until_free(&BYTES, "bytes", 999).await;
        body.send(chunk(300)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 300);
        app.until_free(&BYTES, "bytes", 700).await;
        app.until_free(&STREAMS, "streams", 2).await;
    })
    .await;
}

#[tokio::test]
async fn the_task_of_a_socket_holds_a_permit() {
    everywhere(&VERSIONS, serve, async |app, client| {
        let mut socket = TcpStream::connect(client.server).await.unwrap();
        let request = "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                       sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        socket.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 101");
        app.until_free(&STREAMS, "streams", 1).await;
        drop(socket);
        app.until_free(&STREAMS, "streams", 2).await;
    })
    .await;
}
