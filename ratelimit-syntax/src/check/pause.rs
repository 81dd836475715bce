//! Checks `pause_if`: the function that says for how long the limit pauses, and the limits that can pause.

use super::checker::Checker;
use crate::model::{Limit, Number};
use syn::Expr;

impl Checker<'_> {
    pub(super) fn pause_if(&mut self, limit: &Limit) -> Option<Expr> {
        let given = self.given("pause_if")?;
        if let Limit::Numbers(numbers) = limit
            && !numbers.algorithm.takes(Number::Block)
        {
            self.error_on_name(
                given,
                "`pause_if` needs a counter, a bucket or a sliding window: the state of a log or of permits has no place for a pause",
            );
        }
        if ["count", "time", "limit"].iter().all(|name| self.given(name).is_none()) && self.arguments.complete
        {
            self.error_on_name(
                given,
                "`pause_if` needs the limit of the partner: write what it admits, as in `time = \"1s\", count = 50`",
            );
        }
        self.function_of_result(given)
    }
}
