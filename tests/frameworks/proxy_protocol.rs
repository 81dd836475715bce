//! The PROXY protocol: a listener that reads its header by hand, from trusted senders only, and says who the client is.

use crate::harness::contract::in_context;
use crate::harness::limiters::limiters;
use axum::extract::Request;
use axum::routing::get;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

/// The only sender whose header is read.
const BALANCER: Ipv4Addr = Ipv4Addr::LOCALHOST;
const STRANGER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

#[rate_limit(key = "request", count = 1, by = "ip")]
async fn by_request(_: Request) -> Result<(), Rejection> {
    Ok(())
}

/// Each connection has a task of its own, so that a sender without a header does not hold up the others.
async fn serve(limiter: RateLimiter) -> SocketAddr {
    let app = Router::new()
        .route("/request", get(by_request))
        .route("/context", get(in_context))
        .layer(RateLimitLayer::new().limiter(limiter));
    let listener = TcpListener::bind((BALANCER, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, socket) = listener.accept().await.unwrap();
            tokio::spawn(connection(stream, socket, app.clone()));
        }
    });
    address
}

async fn connection(mut stream: TcpStream, socket: SocketAddr, app: Router) -> io::Result<()> {
    let sent = if socket.ip() == BALANCER {
        timeout(Duration::from_secs(10), read_header(&mut stream)).await??
    } else {
        None
    };
    let app = app.layer(Extension(PeerAddr::from(sent.unwrap_or(socket))));
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    served.await.map_err(io::Error::other)
}

/// Reads the header. `None` if it names no client: the balancer itself has a question, such as whether the server is healthy.
async fn read_header(stream: &mut TcpStream) -> io::Result<Option<SocketAddr>> {
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    if &head == SIGNATURE { read_binary(stream).await } else { read_text(&head, stream).await }
}

/// Version 1: `PROXY TCP4 203.0.113.7 192.0.2.1 56324 443`, at most 107 bytes.
async fn read_text(head: &[u8], stream: &mut TcpStream) -> io::Result<Option<SocketAddr>> {
    let mut line = head.to_vec();
    while !line.ends_with(b"\r\n") {
        if line.len() >= 107 {
            return Err(ErrorKind::InvalidData.into());
        }
        line.push(stream.read_u8().await?);
    }
    let line = str::from_utf8(&line).map_err(io::Error::other)?;
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    match words.as_slice() {
        ["PROXY", "TCP4" | "TCP6", client, _, port, _] => {
            let client: IpAddr = client.parse().map_err(io::Error::other)?;
            Ok(Some((client, port.parse().map_err(io::Error::other)?).into()))
        }
        ["PROXY", "UNKNOWN", ..] => Ok(None),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}

/// Version 2: the command, the family, the length, and the addresses in binary.
async fn read_binary(stream: &mut TcpStream) -> io::Result<Option<SocketAddr>> {
    let (command, family) = (stream.read_u8().await?, stream.read_u8().await?);
    let mut rest = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut rest).await?;
    let short = || io::Error::from(ErrorKind::InvalidData);
    let client: IpAddr = match (command, family) {
        (0x20, _) => return Ok(None),
        (0x21, 0x11) => Ipv4Addr::from(*rest.first_chunk::<4>().ok_or_else(short)?).into(),
        (0x21, 0x21) => Ipv6Addr::from(*rest.first_chunk::<16>().ok_or_else(short)?).into(),
        _ => return Err(short()),
    };
    Ok(Some((client, 0).into()))
}

fn text(client: &str) -> Vec<u8> {
    let family = if client.contains(':') { "TCP6" } else { "TCP4" };
    format!("PROXY {family} {client} 192.0.2.1 56324 443\r\n").into_bytes()
}

fn binary(client: IpAddr) -> Vec<u8> {
    let (family, mut addresses) = match client {
        IpAddr::V4(client) => (0x11, [client.octets(), [192, 0, 2, 1]].concat()),
        IpAddr::V6(client) => (0x21, [client.octets(), [0; 16]].concat()),
    };
    addresses.extend([220, 4, 1, 187]);
    let length = u16::try_from(addresses.len()).unwrap().to_be_bytes();
    [SIGNATURE.as_slice(), &[0x21, family], &length, &addresses].concat()
}

/// Connects from an address, and sends a header and a request. Returns the status, or `None` if the server closes the connection
/// without a word.
async fn status(server: SocketAddr, from: Ipv4Addr, header: &[u8], path: &str) -> Option<u16> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    let mut stream = socket.connect(server).await.unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 6.6.6.6\r\nconnection: close\r\n\r\n");
    stream.write_all(&[header, request.as_bytes()].concat()).await.unwrap();
    let mut response = Vec::new();
    // A server that closes the connection before it has read everything resets it.
    let _ = stream.read_to_end(&mut response).await;
    let line = String::from_utf8(response).unwrap();
    line.split(' ').nth(1).map(|status| status.parse().unwrap())
}

#[tokio::test]
async fn the_client_of_the_header_is_limited() {
    for limiter in limiters().await {
        let server = serve(limiter).await;
        let (v4, v6) = (IpAddr::from([203, 0, 113, 9]), "2001:db8::9".parse().unwrap());
        let clients =
            [text("203.0.113.7"), text("203.0.113.8"), text("2001:db8:7::7"), binary(v4), binary(v6)];
        for path in ["/request", "/context"] {
            for header in &clients {
                assert_eq!(status(server, BALANCER, header, path).await, Some(200), "{header:?}");
                assert_eq!(status(server, BALANCER, header, path).await, Some(429), "{header:?}");
            }
            // The same client calls by the other protocol version, and from another address of its network.
            assert_eq!(status(server, BALANCER, &binary([203, 0, 113, 7].into()), path).await, Some(429));
            assert_eq!(status(server, BALANCER, &text("2001:db8::1:2:3"), path).await, Some(429));
        }
    }
}

#[tokio::test]
async fn the_balancer_itself_is_a_client() {
    let server = serve(RateLimiter::in_memory()).await;
    let local = [SIGNATURE.as_slice(), &[0x20, 0, 0, 0]].concat();
    assert_eq!(status(server, BALANCER, b"PROXY UNKNOWN\r\n", "/request").await, Some(200));
    assert_eq!(status(server, BALANCER, &local, "/request").await, Some(429));
}

/// Whoever else connects is limited by its own address, and its header is not HTTP.
#[tokio::test]
async fn a_stranger_cannot_choose_its_address() {
    let server = serve(RateLimiter::in_memory()).await;
    for client in ["203.0.113.7", "203.0.113.8"] {
        assert_eq!(status(server, STRANGER, &text(client), "/request").await, Some(400));
    }
    assert_eq!(status(server, STRANGER, b"", "/request").await, Some(200));
    assert_eq!(status(server, STRANGER, b"", "/request").await, Some(429));
}

#[tokio::test]
async fn a_broken_header_ends_the_connection() {
    let server = serve(RateLimiter::in_memory()).await;
    let short = [SIGNATURE.as_slice(), &[0x21, 0x11, 0, 2, 203, 0]].concat();
    let endless = [b'a'; 200];
    for header in
        [&b"PROXY TCP4 nobody 192.0.2.1 1 2\r\n"[..], b"PROXY\r\n\r\n\r\n\r\n", &short, &endless, b""]
    {
        assert_eq!(status(server, BALANCER, header, "/request").await, None, "{header:?}");
    }
}
