//! Checks the numbers of a limit: each by itself, then all of them together.

use super::checker::Checker;
use super::literal::{integer, is_literal, string};
use super::number::shows_its_type;
use crate::model::{Algorithm, Calendar, Limit, LimitNumbers, Number, Value};
use crate::rate;
use proc_macro2::Span;
use quote::ToTokens;
use ratelimit_limit::rules::{LimitError, Refill, Takes, Zone};
use syn::Expr;
use syn::spanned::Spanned;

/// The `count` of a limit without the argument `count`.
const DEFAULT_COUNT: u32 = 100;
/// The `time` of a limit without the argument `time`.
const DEFAULT_TIME_MS: u64 = 60_000;

impl Checker<'_> {
    pub(super) fn limit(&mut self) -> Limit {
        match self.value("limit") {
            Some(value) => {
                self.check_limit_value(value);
                Limit::Value(value.clone())
            }
            None => Limit::Numbers(Box::new(self.numbers())),
        }
    }

    fn check_limit_value(&mut self, value: &Expr) {
        if integer(value).is_some() {
            let count = value.to_token_stream();
            self.error(
                value,
                format!("`limit` must be a `Limit`: write the number of calls as `count = {count}`"),
            );
        } else if let Some(rate) = string(value).and_then(|text| rate::read(&text.value())) {
            self.error(value, format!("`limit` must be a `Limit`: write the rate as `{rate}`"));
        } else if is_literal(value) {
            self.error(value, "`limit` must be a `Limit`, as in `limit = self.plan.limit`");
        }
    }

    fn numbers(&mut self) -> LimitNumbers {
        let before = self.errors.count();
        let known = self.algorithm();
        let values = Number::ALL.map(|number| Some((number, self.number_of_limit(number)?)));
        let given = values.into_iter().flatten().collect();
        let mut numbers = LimitNumbers { algorithm: known.unwrap_or(Algorithm::Counter), given };
        self.check_each(&mut numbers, known.is_some());
        if self.arguments.complete && self.errors.count() == before {
            self.check_together(&numbers);
        }
        numbers
    }

    /// Reads the value of a number.
    fn number_of_limit(&mut self, number: Number) -> Option<Value> {
        let name = number.as_str();
        let Some(value) = self.value(name) else {
            return match number {
                Number::Count => Some(Value::Units(DEFAULT_COUNT, Span::mixed_site())),
                Number::Time => Some(Value::Millis(DEFAULT_TIME_MS, Span::mixed_site())),
                _ => None,
            };
        };
        match (number.takes(), string(value)) {
            (Takes::TimeOrCalendar, Some(word)) if Calendar::named(&word.value()).is_some() => {
                Some(Value::Word(word.value(), word.span()))
            }
            (Takes::Time | Takes::TimeOrCalendar, _) => self.time(name, value),
            (Takes::Times, _) => self.steps(value),
            (Takes::UnitsOrAuto, _) => self.lease(value),
            (Takes::UnitsOrZero, _) if integer(value).is_some_and(|zero| zero.base10_digits() == "0") => {
                Some(Value::Units(0, value.span()))
            }
            (Takes::Units | Takes::UnitsOrZero, _) => self.number(name, value),
            (Takes::Offset, Some(offset)) if Zone::parse(&offset.value()).is_some() => {
                Some(Value::Word(offset.value(), offset.span()))
            }
            (Takes::Offset, Some(offset)) => {
                self.error(offset, LimitError::ZONE_UNKNOWN);
                None
            }
            (Takes::Offset, None) => {
                self.error(
                    value,
                    format!("`{name}` must be an offset in quotes, as in `{name} = \"+01:00\"`"),
                );
                None
            }
            (Takes::Refill, _) => {
                let word = self.word(name, &Refill::ALL.map(Refill::as_str), &[])?;
                // The default means the same as no value.
                (word != Refill::default().as_str()).then(|| Value::Word(word, value.span()))
            }
        }
    }

    /// Checks each number by itself, and beside the algorithm and the other numbers, if the algorithm is known. Reports each
    /// violation once, and removes the numbers that the limit does not take.
    fn check_each(&mut self, numbers: &mut LimitNumbers, is_known: bool) {
        let (assumed, is_complete, mut found) = (numbers.assumed(), self.arguments.complete, Vec::new());
        for number in Number::ALL {
            let Some(given) = self.given(number.as_str()) else { continue };
            let literal = numbers.get(number).filter(|value| value.text().is_some());
            let fits = match numbers.capacity() {
                Some(capacity) if number == Number::Lease && is_complete => assumed.check_lease(capacity),
                _ => Ok(()),
            };
            let (violation, span) = match (number.check_taken(&assumed), literal) {
                (Err(LimitError::ZONE_WITHOUT_CALENDAR), value) if value.is_none() || !is_complete => {
                    continue;
                }
                (Err(violation), Some(value)) if is_known && number == Number::Time => {
                    (violation, value.span())
                }
                (Err(violation), _) if is_known => (violation, given.name.span()),
                (Ok(()), Some(value)) => match number.check(&assumed).and(fits) {
                    Err(violation) => (violation, value.span()),
                    Ok(()) => continue,
                },
                _ => continue,
            };
            if !found.contains(&violation) {
                self.error_at(span, violation);
                found.push(violation);
            }
        }
        numbers.given.retain(|(number, _)| number.check_taken(&assumed).is_ok());
    }

    /// Checks the numbers together if all of them are literals. The caret is on the number that the message says to change.
    fn check_together(&mut self, numbers: &LimitNumbers) {
        let Some(Err(violation)) = numbers.literals().map(ratelimit_limit::Limit::of) else { return };
        let number = match violation {
            LimitError::QUEUE_TOO_LARGE => Number::Wait,
            LimitError::REFILL_TOO_SLOW => numbers.held(),
            _ => Number::Count,
        };
        self.error_at(numbers.get(number).map_or_else(Span::call_site, Value::span), violation);
    }

    pub(super) fn cost(&mut self, limit: &Limit) -> Option<Expr> {
        let value = self.value("cost")?;
        if !self.learned_cost(value, limit)
            && shows_its_type(value)
            && let Some(cost) = self.units("cost", value)
            && self.arguments.complete
            && let Limit::Numbers(numbers) = limit
        {
            self.check_cost_fits(value, cost, numbers);
        }
        Some(value.clone())
    }

    pub(super) fn check_cost_fits(&mut self, value: &Expr, cost: u32, numbers: &LimitNumbers) {
        // A queue takes a cost of any size, so its cost is not compared with a capacity.
        if !numbers.assumed().is_queue() && numbers.capacity().is_some_and(|capacity| cost > capacity) {
            let least = cost - numbers.units(Number::Borrow).unwrap_or(0);
            let name = numbers.held().as_str();
            self.error(
                value,
                format!("`cost` is above what the limit can ever hold: raise `{name}` to {least} or more"),
            );
        }
    }
}
