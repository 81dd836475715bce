//! Checks `until`: how long a permit is held, and when `settle` computes the cost.

use super::checker::Checker;
use super::word::Foreign;
use crate::model::{Limit, Until};
use crate::upgrade::argument_of;

const RETURN: &str = "return";
const BODY_END: &str = "body_end";

/// Other words for the two values of `until`.
const FOREIGN: Foreign = &[
    (
        &[
            "body",
            "end",
            "end_of_body",
            "response_end",
            "response",
            "stream",
            "stream_end",
            "streamed",
            "sent",
            "hold",
            "disconnect",
            "closed",
            "close",
            "eof",
            "drop",
        ],
        "is called `body_end`",
    ),
    (&["function", "handler", "returned", "handler_end", "function_end"], "is called `return`"),
];

impl Checker<'_> {
    pub(super) fn until(&mut self, limit: &Limit) -> Until {
        match self.word("until", &[RETURN, BODY_END], FOREIGN).as_deref() {
            None => Until::Return { said: false },
            Some(RETURN) => Until::Return { said: true },
            Some(_) => {
                self.check_body_end(limit);
                Until::BodyEnd
            }
        }
    }

    /// Reports `until` on a limit that has neither a permit nor a `settle`, and on a function whose response has no body.
    fn check_body_end(&mut self, limit: &Limit) {
        let Some((given, value)) = self.given("until").zip(self.value("until")) else { return };
        let judges = self.given("settle").or(self.given("refund_if")).is_some();
        if !limit.may_be_permits() && self.arguments.complete && !judges {
            self.error_on_name(
                given,
                "`until` has nothing to hold here: units are taken once, before the function runs; it is for `algorithm = \"concurrency\"` and `settle`",
            );
        }
        if argument_of(self.item, "WebSocketUpgrade").is_some() {
            self.error(
                value,
                "the response to a WebSocket upgrade has no body: take a permit with `limiter.permit(..)` and move it into the task of the socket",
            );
        }
    }
}
