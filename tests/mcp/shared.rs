//! Servers share the limit of a tool.

use crate::harness::{call, on_redis, over_a_pipe, over_http, serve, store};
use ratelimit::{RateLimiter, rate_limit};
use rmcp::model::{CallToolResult, ErrorData};
use rmcp::{tool, tool_router};
use serde_json::{Value, json};

#[derive(Clone)]
pub(crate) struct Shared {
    limiter: RateLimiter,
}

impl Shared {
    pub(crate) async fn on(url: &str, prefix: &'static str) -> Self {
        Self { limiter: on_redis(url, prefix).await }
    }
}

#[tool_router(server_handler)]
impl Shared {
    #[tool(description = "Search")]
    #[rate_limit(key = "tool:search", time = "1h", count = 30, by = "global", limiter = self.limiter)]
    async fn search(&self) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::success(Vec::new()))
    }

    #[tool(description = "Another tool, which has its own limit at the same URL")]
    #[rate_limit(key = "tool:other", time = "1h", count = 1, by = "global", limiter = self.limiter)]
    async fn other(&self) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// The documented error of a call that is too much.
pub(crate) fn check_refusal(refused: &ErrorData) {
    assert_eq!(refused.code.0, 429, "{refused:?}");
    assert!(refused.message.starts_with("too many requests: try again in "), "{refused:?}");
    let data = refused.data.clone().unwrap();
    let Some(Value::Number(wait)) = data.get("retryAfterSeconds") else { panic!("{data}") };
    assert!((1..=3600).contains(&wait.as_u64().unwrap()), "{data}");
    assert_eq!(data, json!({ "name": "tool:search", "remaining": 0, "retryAfterSeconds": wait }));
}

#[tokio::test]
async fn the_31st_call_of_four_servers_is_refused() {
    let mut clients = Vec::new();
    for _ in 0..2 {
        clients.push(over_a_pipe(Shared::on(&store(), "four").await).await);
        let server = serve(Shared::on(&store(), "four").await).await;
        clients.push(over_http(server, &[]).await);
    }
    for turn in 0..30 {
        call(&clients[turn % 4], "search").await.unwrap_or_else(|error| panic!("call {turn}: {error:?}"));
    }
    for client in &clients {
        check_refusal(&call(client, "search").await.unwrap_err());
    }
    assert!(call(&clients[1], "other").await.is_ok(), "the other tool has not been called");
    assert_eq!(call(&clients[3], "other").await.unwrap_err().code.0, 429);
}
