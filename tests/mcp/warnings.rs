//! A tool without `by` causes a warning, because all its clients share the limit. If an expected warning is missing, this file
//! does not compile.

#![deny(unused_must_use, unfulfilled_lint_expectations)]
#![allow(dead_code, reason = "only compiled")]

use ratelimit::{Rejection, rate_limit};
use rmcp::handler::server::tool::Extension;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use rmcp::{Json, RoleServer};

macro_rules! tools {
    ($($name:ident($($argument:ty),*) -> $returned:ty;)*) => {
        $(#[expect(unused_must_use)]
        #[rate_limit(count = 5)]
        async fn $name($(_: $argument),*) -> Result<$returned, Rejection> {
            unreachable!()
        })*
    };
}

tools! {
    parameters(Parameters<u8>) -> String;
    context(RequestContext<RoleServer>) -> String;
    extension(Extension<u8>) -> String;
    result() -> CallToolResult;
    json() -> Json<u8>;
}

/// Causes no warning: any function may return such a value.
#[rate_limit(count = 5)]
async fn plain(words: String) -> Result<String, Rejection> {
    Ok(words)
}
