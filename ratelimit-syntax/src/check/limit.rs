//! Checks the numbers of a limit: each by itself, then all of them together.

use super::block::step;
use super::checker::Checker;
use super::literal::{integer, is_literal, string};
use super::number::shows_its_type;
use crate::model::{Algorithm, Lease, Limit, LimitNumbers, Number, Time};
use crate::rate;
use proc_macro2::Span;
use quote::ToTokens;
use ratelimit_limit::rules::LimitError;
use ratelimit_limit::rules::block::Block;
use ratelimit_limit::rules::bounds::{check_bucket, check_lease, check_wait};
use ratelimit_limit::rules::numbers::{self, Numbers};
use syn::Expr;

/// The `count` of a limit without the argument `count`.
const DEFAULT_COUNT: u32 = 100;
/// The `time` of a limit without the argument `time`.
const DEFAULT_TIME_MS: u64 = 60_000;

/// The arguments that `limit` replaces.
const REPLACED_BY_LIMIT: [&str; 10] =
    ["count", "time", "zone", "algorithm", "burst", "refill", "borrow", "wait", "lease", "block"];

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
        } else {
            let arguments = self.arguments;
            for given in REPLACED_BY_LIMIT.into_iter().filter_map(|name| arguments.get(name)) {
                let name = &given.name;
                self.error(name, format!("`{name}` and `limit` exclude each other, because a `Limit` has all numbers: remove one of them"));
            }
        }
    }

    fn numbers(&mut self) -> LimitNumbers {
        let before = self.errors.count();
        let known = self.algorithm();
        let algorithm = known.unwrap_or(Algorithm::Counter);
        let waits = self.given("wait").is_some();
        let (count, time) = (self.number("count"), self.time("time"));
        let (burst, refill, borrow) = (self.number("burst"), self.refill(), self.number_or_zero("borrow"));
        let zone = self.zone(time.as_ref());
        if known.is_some() {
            self.check_taken(algorithm);
            self.check_takes_calendar(algorithm, time.as_ref());
        }
        if let Some(Number::Literal(count, span)) = count {
            self.check(span, algorithm.check_count(count));
        }
        if let Some(Time::Millis(ms, span)) = time {
            self.check(span, algorithm.check_time(ms));
        }
        // A wrong `count` has its own message. The largest number stands in for it, so that it causes no further messages.
        let default = if self.given("count").is_some() { u32::MAX } else { DEFAULT_COUNT };
        let numbers = LimitNumbers {
            algorithm,
            count: count.unwrap_or(Number::Literal(default, Span::mixed_site())),
            time: time.unwrap_or(Time::Millis(DEFAULT_TIME_MS, Span::mixed_site())),
            zone,
            burst: burst.filter(|_| algorithm.check_takes_burst(waits).is_ok()),
            refill,
            borrow: borrow.filter(|_| algorithm.check_takes_borrow().is_ok()),
            wait: self.time("wait"),
            lease: self.lease(),
            block: self.block(),
        };
        if let Some(Time::Millis(ms, span)) = numbers.wait {
            self.check(span, check_wait(ms));
        }
        self.check_capacity(&numbers);
        self.check_takes_lease(algorithm);
        self.check_lease_fits(&numbers);
        self.check_takes_block(algorithm);
        if self.arguments.complete && self.errors.count() == before {
            self.check_together(&numbers);
            self.check_blocks_callers();
        }
        numbers
    }

    fn check(&mut self, span: Span, checked: Result<(), LimitError>) {
        if let Err(violation) = checked {
            self.error_at(span, violation);
        }
    }

    fn check_capacity(&mut self, numbers: &LimitNumbers) {
        if let Some(Number::Literal(burst, span)) = numbers.burst
            && check_bucket(burst).is_err()
        {
            self.check(span, check_bucket(burst));
        } else if let Some(Number::Literal(_, span)) = numbers.borrow
            && numbers.held().1.literal().is_some_and(|held| check_bucket(held).is_ok())
            && let Some(capacity) = numbers.capacity()
        {
            self.check(span, check_bucket(capacity));
        }
    }

    fn check_lease_fits(&mut self, numbers: &LimitNumbers) {
        if let Some(Lease::Most(Number::Literal(units, span))) = numbers.lease
            && self.arguments.complete
            && numbers.algorithm.check_takes_lease(numbers.wait.is_some()).is_ok()
            && let Some(capacity) = numbers.capacity()
        {
            self.check(span, check_lease(units, capacity));
        }
    }

    /// Checks the numbers together if all of them are literals. The caret is on the number that the message says to change.
    fn check_together(&mut self, numbers: &LimitNumbers) {
        let Some(Err(violation)) = literal_numbers(numbers).map(ratelimit_limit::Limit::of) else { return };
        let wrong = match (violation, &numbers.wait, &numbers.burst) {
            (LimitError::QUEUE_TOO_LARGE, Some(Time::Millis(_, wait)), _) => *wait,
            (LimitError::REFILL_TOO_SLOW, _, Some(Number::Literal(_, burst))) => *burst,
            _ => match numbers.count {
                Number::Literal(_, count) => count,
                Number::Value(..) => Span::call_site(),
            },
        };
        self.error_at(wrong, violation);
    }

    pub(super) fn cost(&mut self, limit: &Limit) -> Option<Expr> {
        let value = self.value("cost")?;
        if shows_its_type(value)
            && let Some(cost) = self.units("cost", value)
            && self.arguments.complete
            && let Limit::Numbers(numbers) = limit
        {
            self.check_cost_fits(value, cost, numbers);
        }
        Some(value.clone())
    }

    fn check_cost_fits(&mut self, value: &Expr, cost: u32, numbers: &LimitNumbers) {
        // A queue takes a cost of any size, so its cost is not compared with a capacity.
        let queue = numbers.is_queue();
        if !queue && numbers.capacity().is_some_and(|capacity| cost > capacity) {
            let least = cost - numbers.borrow.as_ref().and_then(Number::literal).unwrap_or(0);
            let name = numbers.held().0;
            self.error(
                value,
                format!("`cost` is above what the limit can ever hold: raise `{name}` to {least} or more"),
            );
        }
    }
}

/// The numbers of a limit, if all of them are literals.
fn literal_numbers(numbers: &LimitNumbers) -> Option<Numbers> {
    let LimitNumbers { algorithm, count, time, burst, refill, borrow, wait, lease, block, zone: _ } = numbers;
    let count = count.literal()?;
    Some(Numbers {
        refill: *refill,
        burst: burst.as_ref().map_or(Some(count), Number::literal)?,
        borrow: borrow.as_ref().map_or(Some(0), Number::literal)?,
        wait_ms: wait.as_ref().map_or(Some(0), Time::literal)?,
        lease: match lease {
            None => numbers::Lease::Most(0),
            Some(Lease::Most(units)) => numbers::Lease::Most(units.literal()?),
            Some(Lease::Auto(_)) => numbers::Lease::Auto,
        },
        block: Block::of(&block.iter().map(step).collect::<Option<Vec<_>>>()?).ok()?,
        ..Numbers::new(*algorithm, count, time.literal()?)
    })
}
