//! Servers of rmcp with their clients, and what a client receives for a call.

use crate::clients::User;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use ratelimit::{OnError, RateLimiter};
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceError, ServiceExt};
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;
use support::RedisServer;

pub(crate) type Client = RunningService<RoleClient, ()>;

/// Connects a client and a server by a pipe in memory.
pub(crate) async fn over_a_pipe(server: impl ServerHandler) -> Client {
    let (near, far) = tokio::io::duplex(4096);
    tokio::spawn(async move {
        let running = server.serve(far).await.unwrap();
        running.waiting().await.unwrap();
    });
    ().serve(near).await.unwrap()
}

/// Serves over HTTP on a free port, in an application of axum that knows the addresses of its clients.
pub(crate) async fn serve(server: impl ServerHandler + Clone) -> SocketAddr {
    let create = move || Ok(server.clone());
    let service: StreamableHttpService<_, LocalSessionManager> = StreamableHttpService::new(
        create,
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let app = axum::Router::new().nest_service("/mcp", service).layer(from_fn(log_in));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

/// Puts the user into the request. It verifies nothing.
async fn log_in(mut request: Request, next: Next) -> Response {
    let name = request.headers().get("x-user").map(|name| name.to_str().unwrap().to_owned());
    if let Some(name) = name {
        request.extensions_mut().insert(User(name));
    }
    next.run(request).await
}

/// Connects a client over HTTP, whose requests all have these headers.
pub(crate) async fn over_http(server: SocketAddr, headers: &[(&'static str, &'static str)]) -> Client {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{server}/mcp"));
    let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    ().serve(StreamableHttpClientTransport::from_config(config.custom_headers(headers.collect())))
        .await
        .unwrap()
}

/// Calls a tool without arguments.
pub(crate) async fn call(client: &Client, tool: &'static str) -> Result<CallToolResult, ErrorData> {
    client.call_tool(CallToolRequestParams::new(tool)).await.map_err(|error| match error {
        ServiceError::McpError(error) => error,
        other => panic!("`{tool}`: {other}"),
    })
}

/// The code of the error that a client receives, or 0.
pub(crate) async fn code(client: &Client, tool: &'static str) -> i32 {
    call(client, tool).await.err().map_or(0, |error| error.code.0)
}

/// The URL of the store of all tests.
pub(crate) fn store() -> String {
    static SERVER: OnceLock<RedisServer> = OnceLock::new();
    SERVER.get_or_init(RedisServer::start).url()
}

/// Returns a limiter that shares all limits with the others of this prefix, as that of another process does.
pub(crate) async fn on_redis(url: &str, prefix: &'static str) -> RateLimiter {
    // A slow machine must not turn a decision into an outage.
    let builder = RateLimiter::builder().redis(url).prefix(prefix).on_error(OnError::Deny);
    builder.deadline(Duration::from_secs(10)).connect().await.unwrap()
}
