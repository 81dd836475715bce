//! Creates errors of the Model Context Protocol of rejections.

use crate::__private::callers;
use crate::rejection::{FromRejection, Rejection, whole_seconds};
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData, JsonObject};

callers! {
    ReturnOf [&] if IntoCallToolResult => OfClients;
}

/// The code is the [`status`](Rejection::status): 429, 400 or 503. The message is the text of the [`Rejection`].
///
/// The protocol has no code for limits. Its revision 2026-07-28 forbids codes from -32099 to -32020 that it does not define, and
/// earlier revisions leave all codes outside of -32768 to -32000 to applications. So a status is valid in each revision.
///
/// The data are an object:
///
/// | field | value | missing |
/// |---|---|---|
/// | `name` | [`Rejection::public_name`] | never |
/// | `remaining` | the units that the caller has left, which are fewer than the call costs | if no limit of the caller has refused the call |
/// | `retryAfterSeconds` | [`Rejection::retry_after`] in whole seconds, rounded up, at least 1 | if the call never passes, or if it got no permit |
impl From<Rejection> for ErrorData {
    fn from(rejection: Rejection) -> Self {
        let mut data = JsonObject::new();
        data.insert("name".to_owned(), rejection.public_name().into());
        if let Some(decision) = rejection.decision().filter(|_| !rejection.is_of_service()) {
            data.insert("remaining".to_owned(), decision.remaining().into());
        }
        if let Some(wait) = rejection.retry_after() {
            data.insert("retryAfterSeconds".to_owned(), whole_seconds(wait).into());
        }
        Self::new(ErrorCode(rejection.status().into()), rejection.to_string(), Some(data.into()))
    }
}

/// An error of the protocol. So a tool can return `Result<T, Rejection>`.
impl IntoCallToolResult for Rejection {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Err(self.into())
    }
}

/// A result with the text of the rejection and `isError`. The language model reads this text, but its client receives no code and
/// no data. The result has no structured content, because clients compare such content with the schema of the tool's output.
impl FromRejection for CallToolResult {
    fn from_rejection(rejection: Rejection) -> Self {
        Self::error(vec![ContentBlock::text(rejection.to_string())])
    }
}

/// The same result, for servers that route the calls themselves.
impl FromRejection for CallToolResponse {
    fn from_rejection(rejection: Rejection) -> Self {
        CallToolResult::from_rejection(rejection).into()
    }
}
