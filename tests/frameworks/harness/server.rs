//! Servers of axum on free loopback ports.

use axum::Router;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Serves an application that knows the addresses of its clients.
pub(crate) async fn serve(app: Router) -> SocketAddr {
    let (listener, address) = listen().await;
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await.unwrap() });
    address
}

/// Serves an application that does not know the addresses of its clients.
pub(crate) async fn serve_without_peers(app: Router) -> SocketAddr {
    let (listener, address) = listen().await;
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}
