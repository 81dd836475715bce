//! A small HTTP client that can send requests from several loopback addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

pub(crate) struct Response {
    /// The status code and its name, such as `200 OK`.
    pub(crate) status: String,
    /// The value of the header `retry-after`, in seconds.
    pub(crate) retry_after: Option<String>,
}

/// Returns whether a client on this machine can use an address. Linux permits all of 127.0.0.0/8, macOS only 127.0.0.1.
pub(crate) fn can_send_from(client: IpAddr) -> bool {
    socket_at(client).is_ok()
}

/// Sends a request such as `GET /report/acme` on a separate connection.
pub(crate) async fn send(client: IpAddr, server: SocketAddr, request: &str) -> io::Result<Response> {
    let mut stream = socket_at(client)?.connect(server).await?;
    let message = format!("{request} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n");
    stream.write_all(message.as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    let mut lines = reply.lines();
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")).unwrap_or("no status");
    let retry_after =
        lines.take_while(|line| !line.is_empty()).find_map(|line| line.strip_prefix("retry-after: "));
    Ok(Response { status: status.to_owned(), retry_after: retry_after.map(str::to_owned) })
}

fn socket_at(client: IpAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((client, 0).into())?;
    Ok(socket)
}
