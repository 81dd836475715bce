//! A server of the Model Context Protocol on rmcp: a tool limited by address, a tool limited by API key, and a tool that holds a
//! permit. All tools share one URL, so only the attribute can tell them apart.
//!
//! ```sh
//! cargo run -p ratelimit-framework-examples --example rmcp
//!
//! call() {
//!     curl -s http://127.0.0.1:8080/mcp -H 'x-api-key: my key' -H 'accept: application/json, text/event-stream' \
//!         -H 'content-type: application/json' \
//!         -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$1'","arguments":{}}}'
//! }
//! call search           # a result five times per minute, then an error with code 429
//! call translate        # a result three times at once, then one every 6 s; another key has its own limit
//! call export & call export & call export; wait   # two run at the same time, and the third is refused
//! ```
//!
//! `RATELIMIT_URL=redis://127.0.0.1` stores the limits in Redis, where all processes share them.

use axum::Router;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, tool, tool_router};
use std::net::SocketAddr;
use std::time::Duration;

#[derive(Clone)]
struct Shop;

#[tool_router(server_handler)]
impl Shop {
    /// Each address may search five times per minute. A refusal is an error of the protocol.
    #[tool(description = "Search the catalogue")]
    #[rate_limit(key = "tool:search", time = "1m", count = 5, by = "ip")]
    async fn search(
        &self,
        Parameters(words): Parameters<JsonObject>,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(format!("nothing found for {words:?}"))]))
    }

    /// Each API key may translate three times at once, and ten times per minute.
    #[tool(description = "Translate a text")]
    #[rate_limit(
        key = "tool:translate",
        time = "1m",
        count = 10,
        algorithm = "token_bucket",
        burst = 3,
        by = "header:x-api-key"
    )]
    async fn translate(&self, context: RequestContext<RoleServer>) -> Result<String, Rejection> {
        Ok(format!("request {} is translated", context.id))
    }

    /// Two exports run at the same time. `fallible` lets a plain text report a refusal. A client that cancels its call gets
    /// nothing, but the permit is returned only when the function ends, so it looks at the token.
    #[tool(description = "Export all orders")]
    #[rate_limit(
        key = "tool:export",
        time = "1m",
        count = 2,
        algorithm = "concurrency",
        by = "global",
        fallible
    )]
    async fn export(&self, context: RequestContext<RoleServer>) -> String {
        tokio::select! {
            () = context.ct.cancelled() => String::new(),
            () = tokio::time::sleep(Duration::from_secs(3)) => "a long list".to_owned(),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = match std::env::var("RATELIMIT_URL") {
        Ok(url) => RateLimiter::builder().redis(url).connect().await?,
        Err(_) => RateLimiter::in_memory(),
    };
    // The tools run in tasks of rmcp, which find the installed limiter.
    ratelimit::install(limiter)?;

    // Without sessions, a single request of `curl` is a whole call.
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let tools: StreamableHttpService<_, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Shop), LocalSessionManager::default().into(), config);
    let app = Router::new().nest_service("/mcp", tools);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    println!("listening on http://127.0.0.1:8080/mcp");
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
