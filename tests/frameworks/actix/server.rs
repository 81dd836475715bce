//! Servers of actix-web with a layer around the whole application.

use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use ratelimit::RateLimitLayer;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// Serves routes in a layer, over HTTP/1.1 and HTTP/2, until the test ends.
pub(crate) fn start(
    layer: RateLimitLayer,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> SocketAddr {
    start_workers(2, layer, routes)
}

/// Like [`start`], with the given number of workers. Each worker is a thread.
pub(crate) fn start_workers(
    workers: usize,
    layer: RateLimitLayer,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let app = move || App::new().configure(routes.clone()).wrap(layer.clone());
    // The keep-alive time is long, so that a test on a slow machine keeps its connections.
    let server = HttpServer::new(app).workers(workers).keep_alive(support::HOUR).disable_signals();
    tokio::spawn(server.listen_auto_h2c(listener).unwrap().run());
    address
}
