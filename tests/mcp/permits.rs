//! A permit ends with the call: when the tool returns, and when the tool ends because the client cancels.

use crate::harness::{call, code, over_a_pipe};
use ratelimit::testing::TestLimiter;
use ratelimit::{Limit, RateLimiter, rate_limit};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ErrorData};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{RoleServer, tool, tool_router};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

#[derive(Clone)]
struct Exports {
    limiter: RateLimiter,
    /// The tool runs until the test adds a permit.
    end: Arc<Semaphore>,
    started: Arc<Semaphore>,
}

#[tool_router(server_handler)]
impl Exports {
    #[tool]
    #[rate_limit(key = "export", time = "1m", count = 1, algorithm = "concurrency", by = "global", limiter = self.limiter)]
    async fn export(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.started.add_permits(1);
        tokio::select! {
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            end = self.end.acquire() => {
                end.unwrap().forget();
                Ok(())
            }
        }
    }
}

const EXPORTS: &str = "export";

fn exports() -> (Exports, Limit) {
    let (end, started) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let server = Exports { limiter: TestLimiter::new().limiter().clone(), end, started };
    (server, Limit::concurrency(1, Duration::from_secs(60)))
}

/// Polls until the permit is free. A background task of the same thread returns it.
async fn until_free(server: &Exports, limit: &Limit) {
    let polling = async {
        while server.limiter.peek(limit, EXPORTS).await.unwrap().remaining() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), polling).await.expect("the permit is never returned");
}

async fn wait_for_the_start(server: &Exports) {
    server.started.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn a_permit_ends_when_the_tool_returns() {
    let (server, limit) = exports();
    let (one, two) = (over_a_pipe(server.clone()).await, over_a_pipe(server.clone()).await);
    let running = tokio::spawn(async move { code(&one, EXPORTS).await });
    wait_for_the_start(&server).await;

    let refused = call(&two, EXPORTS).await.unwrap_err();
    assert_eq!(refused.message, "too many requests at the same time: try again later");
    let nobody_knows_when = json!({ "name": EXPORTS, "remaining": 0 });
    assert_eq!((refused.code.0, refused.data), (429, Some(nobody_knows_when)));

    server.end.add_permits(2);
    assert_eq!(running.await.unwrap(), 0);
    until_free(&server, &limit).await;
    assert_eq!(code(&two, EXPORTS).await, 0);
}

#[tokio::test]
async fn a_permit_ends_when_the_client_cancels() {
    let (server, limit) = exports();
    let client = over_a_pipe(server.clone()).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new(EXPORTS)));
    let running = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    wait_for_the_start(&server).await;
    assert_eq!(code(&client, EXPORTS).await, 429);

    running.cancel(None).await.unwrap();
    until_free(&server, &limit).await;
    server.end.add_permits(1);
    assert_eq!(code(&client, EXPORTS).await, 0);
}
