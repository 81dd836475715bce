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
            && let Some(keep) = keep
        {
            self.check_keep_fits(value, keep, numbers);
        }
        Some(value.clone())
    }

    fn check_keep_fits(&mut self, value: &Expr, keep: u32, numbers: &LimitNumbers) {
        let cost = match self.value("cost").map(integer) {
            None => Some(1),
            Some(literal) => literal.and_then(|literal| literal.base10_parse().ok()),
        };
        // The capacity of a queue follows from its `wait`, not from these numbers.
        let queue = numbers.assumed().is_queue();
        if let (Some(capacity), Some(cost)) = (numbers.capacity().filter(|_| !queue), cost)
            && let needed = u32::saturating_add(cost, keep)
            && cost <= capacity
            && needed > capacity
        {
            let least = needed - numbers.units(Number::Borrow).unwrap_or(0);
            let name = numbers.held().as_str();
            self.error(
                value,
                format!("`keep` and the cost of the call are above what the limit can ever hold: raise `{name}` to {least} or more"),
            );
        }
    }
}
