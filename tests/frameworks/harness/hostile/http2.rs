//! A hostile connection over HTTP/2. Some of its streams are reset while other streams continue.

use super::{Ended, Tally, acts, patience};
use bytes::Bytes;
use fastrand::Rng;
use futures_util::future::join_all;
use h2::client::{Builder, SendRequest};
use h2::{Reason, RecvStream};
use http::Request;
use std::net::{Shutdown, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An empty message of gRPC. Only tonic reads it.
const MESSAGE: Bytes = Bytes::from_static(&[0; 5]);

/// Sends up to eight requests at the same time, and ends the connection in a random way.
pub(super) async fn connection(server: SocketAddr, mut rng: Rng, tally: &Tally) -> Ended {
    let socket = std::net::TcpStream::connect(server)?;
    let end = socket.try_clone()?;
    socket.set_nonblocking(true)?;
    let socket = TcpStream::from_std(socket)?;
    let (client, connection) = Builder::new().initial_window_size(8 * 1024).handshake(socket).await?;
    tokio::spawn(connection);
    let patience = patience(&mut rng);
    let requests = (0..rng.u32(1..9)).map(|_| request(client.clone(), rng.fork(), tally));
    let _ = timeout(patience, join_all(requests)).await;
    if rng.bool() {
        end.shutdown(Shutdown::Both)?; // without a GOAWAY frame
    }
    Ok(())
}

/// Sends one request. If the client drops the stream before its end, the stream is reset.
async fn request(client: SendRequest<Bytes>, mut rng: Rng, tally: &Tally) -> Ended {
    let (rng, mut client) = (&mut rng, client.ready().await?);
    let act = acts::random(rng);
    let method = if rng.u8(..5) == 0 { "HEAD" } else { "GET" };
    let request = Request::builder().method(method).uri(format!("http://localhost/{act}"));
    let request = request.header("content-type", "application/grpc").body(())?;
    let (response, mut body) = client.send_request(request, false)?;
    let mut patience = patience(rng);
    match rng.u8(..6) {
        // Resets the stream immediately.
        0 => {
            body.send_reset(Reason::CANCEL);
            return Ok(());
        }
        // Sends a request whose end never comes. The server may wait for the end.
        1 => patience = Duration::from_millis(40),
        _ => body.send_data(MESSAGE, true)?,
    }
    let response = timeout(patience, response).await??;
    let is_refused =
        response.headers().get("grpc-status").map_or(response.status() == 429, |code| code == "8");
    tally.count(is_refused);
    read(response.into_body(), rng).await
}

async fn read(mut body: RecvStream, rng: &mut Rng) -> Ended {
    let (how, moment) = (rng.u8(..4), Duration::from_millis(rng.u64(1..40)));
    let most = if how == 1 { 1 } else { 64 };
    if how == 0 {
        return Ok(());
    }
    for _ in 0..most {
        let Ok(Some(chunk)) = timeout(moment, body.data()).await else { break };
        let length = chunk?.len();
        // If the capacity is not released, the server must stop when the window is used up.
        if how != 2 {
            body.flow_control().release_capacity(length)?;
        }
    }
    Ok(())
}
