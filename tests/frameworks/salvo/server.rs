//! Servers of salvo.

use salvo::conn::Acceptor;
use salvo::prelude::*;
use std::net::SocketAddr;

/// Serves over HTTP/1.1 and HTTP/2 until the test ends.
pub(crate) async fn start(service: impl Into<Service>) -> SocketAddr {
    let acceptor = TcpListener::new("127.0.0.1:0").bind().await;
    let address = acceptor.holdings()[0].local_addr.clone().into_std().unwrap();
    let service: Service = service.into();
    tokio::spawn(Server::new(acceptor).serve(service));
    address
}
