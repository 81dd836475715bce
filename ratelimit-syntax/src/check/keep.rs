//! Checks `keep`: the units that a call leaves to others.

use super::checker::Checker;
use super::literal::integer;
use super::number::shows_its_type;
use crate::model::{Limit, LimitNumbers, Number};
use syn::Expr;

impl Checker<'_> {
    pub(super) fn keep(&mut self, limit: &Limit) -> Option<Expr> {
        let value = self.value("keep")?;
        let is_zero = integer(value).is_some_and(|literal| literal.base10_digits() == "0");
        let keep = if !is_zero && shows_its_type(value) { self.units("keep", value) } else { None };
        if let Limit::Numbers(numbers) = limit
            && self.arguments.complete
        {
            self.check_keep_beside_wait(numbers);
            if let Some(keep) = keep {
                self.check_keep_fits(value, keep, numbers);
            }
        }
        Some(value.clone())
    }

    /// Reports `keep` beside a `wait` if a waiting call gets its turn in a later window. Such a call takes the rest of this
    /// window from the calls for which `keep` leaves units.
    fn check_keep_beside_wait(&mut self, numbers: &LimitNumbers) {
        let algorithm = numbers.algorithm;
        if let Some(given) = self.given("keep").filter(|_| numbers.wait.is_some())
            && !algorithm.is_bucket()
            && !algorithm.is_concurrency()
        {
            let name = algorithm.as_str();
            self.error_on_name(
                given,
                format!("`keep` and `wait` exclude each other with `{name}`: a call that waits for the next window takes the rest of this one from the calls that `keep` is for, so remove one of them, or write `algorithm = \"token_bucket\"`"),
            );
        }
    }

    fn check_keep_fits(&mut self, value: &Expr, keep: u32, numbers: &LimitNumbers) {
        let cost = match self.value("cost").map(integer) {
            None => Some(1),
            Some(literal) => literal.and_then(|literal| literal.base10_parse().ok()),
        };
        // The capacity of a queue follows from its `wait`, not from these numbers.
        let queue = numbers.is_queue();
        if let (Some(capacity), Some(cost)) = (numbers.capacity().filter(|_| !queue), cost)
            && let needed = u32::saturating_add(cost, keep)
            && cost <= capacity
            && needed > capacity
        {
            let least = needed - numbers.borrow.as_ref().and_then(Number::literal).unwrap_or(0);
            let name = numbers.held().0;
            self.error(
                value,
                format!("`keep` and the cost of the call are above what the limit can ever hold: raise `{name}` to {least} or more"),
            );
        }
    }
}
