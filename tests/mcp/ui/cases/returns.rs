//! A plain text or value cannot report a refusal, and a tool that is not async cannot wait for a decision.

use ratelimit::rate_limit;
use rmcp::{Json, tool, tool_router};

pub struct Tools;

#[tool_router]
impl Tools {
    #[tool]
    #[rate_limit(time = "1m", count = 30, by = "global")]
    async fn private(&self) -> String {
        String::new()
    }

    #[rate_limit(time = "1m", count = 30, by = "global")]
    #[tool]
    pub async fn text(&self) -> String {
        String::new()
    }

    #[tool]
    #[rate_limit(time = "1m", count = 30, by = "global")]
    pub async fn value(&self) -> Json<u8> {
        Json(1)
    }

    #[tool]
    #[rate_limit(time = "1m", count = 30, by = "global")]
    pub fn at_once(&self) -> String {
        String::new()
    }
}

fn main() {}
