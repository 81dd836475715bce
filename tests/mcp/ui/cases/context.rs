//! A tool without the context of its call does not know its client.

use ratelimit::{Rejection, rate_limit};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};

struct Tools;

#[tool_router]
impl Tools {
    #[tool]
    #[rate_limit(time = "1m", count = 30, by = "ip")]
    async fn address(&self) -> Result<String, Rejection> {
        Ok(String::new())
    }

    #[rate_limit(time = "1m", count = 30, by = "header:x-api-key")]
    #[tool]
    async fn header(&self, _: Parameters<u8>) -> Result<String, Rejection> {
        Ok(String::new())
    }

    #[tool]
    #[rate_limit(time = "1m", count = 30, by = "user")]
    async fn user(&self) -> Result<String, Rejection> {
        Ok(String::new())
    }
}

fn main() {}
