//! Real HTTP requests, each from an address of the caller's choice.

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{HOST, RETRY_AFTER};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::net::TcpSocket;

/// What the server has said.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// The `Retry-After` header, in seconds.
    pub(crate) retry_after: Option<u64>,
}

/// Whether this machine lets a client call from `address`: Linux has all of 127.0.0.0/8, macOS only 127.0.0.1.
pub(crate) fn can_call_from(address: IpAddr) -> bool {
    socket_of(address).is_ok()
}

/// Sends a request on a connection of its own.
pub(crate) async fn send(
    server: SocketAddr,
    caller: IpAddr,
    method: &Method,
    path: &str,
) -> Result<Answer, Box<dyn Error>> {
    let stream = socket_of(caller)?.connect(server).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, server.to_string())
        .body(Empty::<Bytes>::new())?;
    let response = sender.send_request(request).await?;
    let retry_after = response.headers().get(RETRY_AFTER);
    Ok(Answer {
        status: response.status(),
        retry_after: retry_after.and_then(|seconds| seconds.to_str().ok()?.parse().ok()),
    })
}

/// A socket whose connections come from `address`.
fn socket_of(address: IpAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((address, 0).into())?;
    Ok(socket)
}
