//! The return types of tools that can report a refusal, above and below `#[tool]`.

use crate::harness::{Client, call, over_a_pipe};
use ratelimit::testing::TestLimiter;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams, PromptMessage, Role};
use rmcp::{
    Json, ServerHandler, ServiceError, prompt, prompt_handler, prompt_router, schemars, tool, tool_handler,
    tool_router,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
struct Found {
    hits: u32,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Words {
    #[serde(default)]
    words: Vec<String>,
}

#[derive(Clone)]
struct Results {
    limiter: RateLimiter,
}

/// Declares each tool twice: with the limit above `#[tool]`, and with the limit below it.
macro_rules! tools {
    ($($above:ident $below:ident ($($fallible:tt)*) -> $returned:ty { $($body:tt)* })*) => {
        #[tool_router]
        impl Results {
            $(
                #[rate_limit(time = "1h", count = 1, by = "global", limiter = self.limiter $($fallible)*)]
                #[tool]
                async fn $above(&self, Parameters(words): Parameters<Words>) -> $returned {
                    assert!(words.words.is_empty());
                    $($body)*
                }

                #[tool]
                #[rate_limit(time = "1h", count = 1, by = "global", limiter = self.limiter $($fallible)*)]
                async fn $below(&self, Parameters(words): Parameters<Words>) -> $returned {
                    assert!(words.words.is_empty());
                    $($body)*
                }
            )*
        }
    };
}

tools! {
    result_above result_below () -> Result<CallToolResult, ErrorData> { Ok(done()) }
    text_above text_below () -> Result<String, ErrorData> { Ok("done".to_owned()) }
    rejection_above rejection_below () -> Result<String, Rejection> { Ok("done".to_owned()) }
    structured_above structured_below () -> Result<Json<Found>, ErrorData> { Ok(Json(Found { hits: 1 })) }
    string_above string_below (, fallible) -> String { "done".to_owned() }
    json_above json_below (, fallible) -> Json<Found> { Json(Found { hits: 1 }) }
    unit_above unit_below (, fallible) -> () {}
    plain_above plain_below () -> CallToolResult { done() }
}

fn done() -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text("done")])
}

#[prompt_router]
impl Results {
    #[prompt]
    #[rate_limit(time = "1h", count = 1, by = "global", limiter = self.limiter)]
    async fn prompt_below(&self) -> Result<Vec<PromptMessage>, ErrorData> {
        Ok(vec![PromptMessage::new_text(Role::User, "hello")])
    }

    #[rate_limit(time = "1h", count = 1, by = "global", limiter = self.limiter)]
    #[prompt]
    async fn prompt_above(&self) -> Result<Vec<PromptMessage>, ErrorData> {
        Ok(vec![PromptMessage::new_text(Role::User, "hello")])
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Results {}

async fn connect() -> Client {
    over_a_pipe(Results { limiter: TestLimiter::new().limiter().clone() }).await
}

#[tokio::test]
async fn a_refusal_is_an_error_of_the_protocol() {
    let client = connect().await;
    for tool in [
        "result_above",
        "result_below",
        "text_above",
        "text_below",
        "rejection_above",
        "rejection_below",
        "structured_above",
        "structured_below",
        "string_above",
        "string_below",
        "json_above",
        "json_below",
        "unit_above",
        "unit_below",
    ] {
        assert_ne!(call(&client, tool).await.unwrap().is_error, Some(true), "{tool}");
        let refused = call(&client, tool).await.expect_err(tool);
        assert_eq!(refused.code.0, 429, "{tool}: {refused:?}");
        assert_eq!(refused.data.unwrap()["name"], *tool, "{tool}");
    }
}

/// A result has no place for an error of the protocol.
#[tokio::test]
async fn a_tool_without_errors_says_it_in_its_result() {
    let client = connect().await;
    for tool in ["plain_above", "plain_below"] {
        assert_eq!(call(&client, tool).await.unwrap().is_error, Some(false), "{tool}");
        let refused = call(&client, tool).await.unwrap();
        assert_eq!(refused.is_error, Some(true), "{tool}");
        assert_eq!(refused.structured_content, None, "{tool}");
        let text = &refused.content[0].as_text().unwrap().text;
        assert!(text.starts_with("too many requests: try again in "), "{tool}: {text}");
    }
}

/// `#[tool]` writes the schema of the output from the return type, which the limit may have wrapped.
#[tokio::test]
async fn the_schema_of_the_output_stays() {
    let tools = connect().await.list_all_tools().await.unwrap();
    for name in ["structured_above", "structured_below", "json_above", "json_below"] {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let schema = tool.output_schema.as_ref().unwrap_or_else(|| panic!("{name} has no schema"));
        assert!(schema["properties"].get("hits").is_some(), "{name}: {schema:?}");
    }
}

#[tokio::test]
async fn prompts_are_limited_like_tools() {
    let client = connect().await;
    for name in ["prompt_above", "prompt_below"] {
        client.get_prompt(GetPromptRequestParams::new(name)).await.unwrap();
        let refused = client.get_prompt(GetPromptRequestParams::new(name)).await;
        let Err(ServiceError::McpError(refused)) = refused else { panic!("{name}: {refused:?}") };
        assert_eq!(refused.code.0, 429, "{name}");
    }
}
