//! Reports arguments that exclude each other.

use super::checker::Checker;
use super::literal::{is_literal, string};
use crate::model::Limit;
use crate::table::{EXCLUSIONS, Exclusion};
use quote::ToTokens;

impl Checker<'_> {
    pub(super) fn check_exclusions(&mut self, limit: &Limit) {
        for Exclusion { names, other, why, only } in EXCLUSIONS {
            let with = match (only, limit) {
                (None, _) => String::new(),
                (Some(only), Limit::Numbers(numbers))
                    if self.arguments.complete && only(numbers.algorithm) =>
                {
                    format!(" with `{}`", numbers.algorithm.as_str())
                }
                _ => continue,
            };
            let arguments = self.arguments;
            let excluded = names.iter().filter_map(|name| arguments.get(name));
            for given in excluded.filter(|_| self.has(other)).collect::<Vec<_>>() {
                let name = &given.name;
                self.error_on_name(given, format!("`{name}` and `{other}` exclude each other{with}: {why}"));
            }
        }
    }

    /// Whether an argument is given, as in `wait`, and has a value, as in `shadow = true`.
    fn has(&self, argument: &str) -> bool {
        let (name, only) = argument.split_once(" = ").unwrap_or((argument, ""));
        let Some(value) = self.value(name) else { return false };
        match string(value) {
            // A `limit` that is a literal has its own error.
            _ if only.is_empty() => name != "limit" || !is_literal(value),
            Some(word) => word.value() == only.trim_matches('"'),
            None => value.to_token_stream().to_string() == only,
        }
    }
}
