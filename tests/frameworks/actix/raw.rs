//! A client of HTTP/1.1 on a connection of its own, which sends exactly what it is told.

use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that stays open between requests.
pub(super) struct Connection<S>(pub(super) S);

/// A response without its headers.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: String,
}

impl Connection<TcpStream> {
    pub(super) async fn open(server: SocketAddr) -> Self {
        Self(TcpStream::connect(server).await.unwrap())
    }
}

impl<S: AsyncReadExt + AsyncWriteExt + Unpin> Connection<S> {
    /// Sends a GET request with further header lines, each with its line break, and reads the response.
    pub(super) async fn get(&mut self, path: &str, headers: &str) -> Response {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")).await;
        self.response().await
    }

    pub(super) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads a response whose body has a `content-length`.
    pub(super) async fn response(&mut self) -> Response {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        Response { status, body: String::from_utf8(body).unwrap() }
    }
}
