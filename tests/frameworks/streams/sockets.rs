//! Web sockets of axum under hostile clients. The task of each socket holds a permit. With `until = "body_end"` instead, the
//! permit would be returned at the upgrade.

use crate::harness::hostile::{Gauge, LIMIT, PERMITS, attack, until_quiet};
use crate::harness::limiters::{limiters, until_free};
use crate::harness::server::serve_without_peers;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::any;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::time::Duration;
use support::SECOND;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

static GAUGE: Gauge = Gauge::new();

const UPGRADE: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/// A ping, a text, a text whose end never comes, and a frame that no client may send.
const FRAMES: [&[u8]; 4] =
    [b"\x89\x80\0\0\0\0", b"\x81\x82\0\0\0\0hi", b"\x81\xfe\xff\xff\0\0\0\0x", b"\xff\xff"];

/// Echoes messages. A text of two bytes makes it panic.
async fn socket(
    State(limiter): State<RateLimiter>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Rejection> {
    let permit = limiter.permit(&LIMIT, "hostile").await?;
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        let live = GAUGE.enter();
        while let Some(Ok(message)) = socket.recv().await {
            if message.to_text().is_ok_and(|text| text.len() == 2) {
                resume_unwind(Box::new("a panic that the test wants"));
            }
            if socket.send(message).await.is_err() {
                break;
            }
        }
        drop((live, permit));
    }))
}

/// Requests a socket. Returns the connection and the start of the answer.
async fn open(server: SocketAddr) -> std::io::Result<(TcpStream, [u8; 12])> {
    let (mut stream, mut status) = (TcpStream::connect(server).await?, [0; 12]);
    stream.write_all(UPGRADE).await?;
    stream.read_exact(&mut status).await?;
    Ok((stream, status))
}

/// Runs one client. It leaves in the middle of the handshake, before the answer, or after some frames, with or without a
/// reset.
async fn client(server: SocketAddr, mut rng: fastrand::Rng) -> std::io::Result<()> {
    let how = rng.u8(..6);
    if how < 2 {
        let mut stream = TcpStream::connect(server).await?;
        let length = if how == 0 { UPGRADE.len() / 2 } else { UPGRADE.len() };
        return stream.write_all(&UPGRADE[..length]).await;
    }
    let (mut stream, status) = open(server).await?;
    if &status == b"HTTP/1.1 101" {
        for _ in 0..rng.usize(..4) {
            stream.write_all(rng.choice(FRAMES).unwrap_or_default()).await?;
            let patience = Duration::from_millis(rng.u64(1..20));
            let _ = timeout(patience, stream.read(&mut [0; 256])).await;
        }
        match how {
            2 => stream.set_zero_linger()?,
            3 => stream.shutdown().await?,
            _ => {}
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_of_a_socket_is_lost() {
    for limiter in limiters().await {
        let server =
            serve_without_peers(Router::new().route("/", any(socket)).with_state(limiter.clone())).await;
        attack(move |rng| async move {
            let _ = timeout(SECOND, client(server, rng)).await;
        })
        .await;
        until_quiet(&limiter, &GAUGE).await;
        // An open socket holds a permit.
        let (stream, status) = open(server).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 101");
        until_free(&limiter, &LIMIT, "hostile", PERMITS - 1).await;
        drop(stream);
        until_free(&limiter, &LIMIT, "hostile", PERMITS).await;
        limiter.close().await;
    }
}

#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end", limiter = limiter)]
async fn around(State(limiter): State<RateLimiter>, request: Request, next: Next) -> Response {
    next.run(request).await
}

/// `next` hides the upgrade from the compiler, so no compiler message can warn about it. The log says that the permit has
/// ended.
#[tokio::test]
async fn the_body_of_an_upgrade_ends_at_once() {
    let limiter = RateLimiter::in_memory();
    let echo = |upgrade: WebSocketUpgrade| async {
        upgrade.on_upgrade(async |mut socket| drop(socket.recv().await))
    };
    let app = Router::new().route("/", any(echo)).layer(from_fn_with_state(limiter.clone(), around));
    let _ = support::take_events();
    let (_stream, status) = open(serve_without_peers(app).await).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 101");
    until_free(&limiter, &LIMIT, "hostile", PERMITS).await;
    let events = support::take_events();
    assert!(
        events.iter().any(|event| event.to_string().contains("an upgrade (101), whose body ends at once")),
        "{events:?}"
    );
}
