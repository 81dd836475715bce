//! Checks `fair`: who shares the limit in equal parts.

use super::checker::Checker;
use super::identity::wrong_form;
use super::literal::string;
use crate::model::Limit;
use quote::ToTokens;
use syn::Expr;

impl Checker<'_> {
    pub(super) fn fair(&mut self, limit: &Limit) -> Vec<Expr> {
        let Some(value) = self.value("fair") else { return Vec::new() };
        if let (Limit::Numbers(numbers), Some(given), true) =
            (limit, self.given("fair"), self.arguments.complete)
            && let Err(error) = numbers.assumed().check_fair()
        {
            self.error_on_name(given, error);
        }
        let text = |value: &Expr| value.to_token_stream().to_string();
        if self.value("by").is_some_and(|by| text(by) == text(value)) {
            self.error(
                value,
                "`fair` and `by` have the same value, so each limit would have one caller, which gets all of it: remove `by`, so that all callers share one limit",
            );
        }
        match value {
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                tuple.elems.iter().filter_map(|value| self.caller(value)).collect()
            }
            value => self.caller(value).into_iter().collect(),
        }
    }

    /// Reads one value of the caller.
    fn caller(&mut self, value: &Expr) -> Option<Expr> {
        if string(value).is_some() {
            self.error(
                value,
                "`fair` takes a value of the function: write who shares the limit, as in `fair = tenant.id`, or `fair = ratelimit::context::client_ip()`",
            );
        } else if let Some(wrong) = wrong_form(value) {
            self.error(value, wrong.replace("`by`", "`fair`").replace("by = ", "fair = "));
        } else if let Expr::Lit(_) = value {
            self.error(
                value,
                "a constant in `fair` is the same for every caller: write a value that differs, as in `fair = tenant.id`",
            );
        } else {
            return Some(value.clone());
        }
        None
    }
}
