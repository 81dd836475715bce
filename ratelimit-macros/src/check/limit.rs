//! The limit itself: whether its numbers fit its algorithm and each other.

use super::algorithm::algorithm;
use super::lease;
use super::number::{is_integer, is_literal, is_no_expression, number, time, units};
use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Algorithm, Limit, Number, Parts, Time};
use crate::rate;
use proc_macro2::Span;
use quote::ToTokens;
use syn::Expr;

/// The largest `count` of a bucket, and the most that it can hold.
const MAX_BUCKET: u32 = 1 << 25;
/// The largest `count` of a sliding window: two of them share one integer.
const MAX_WINDOW: u32 = (1 << 25) - 1;
/// The largest `count` of algorithms that remember each unit.
const MAX_REMEMBERED: u32 = 10_000;
/// The shortest lease of a permit.
const MIN_LEASE_MS: u64 = 1000;
/// The `count` of a limit that says none.
const DEFAULT_COUNT: u32 = 100;
/// The `time` of a limit that says none.
const DEFAULT_TIME_MS: u64 = 60_000;

/// What makes up a limit, where it is not a value as a whole.
const PARTS: [&str; 8] = ["count", "time", "algorithm", "burst", "refill", "borrow", "wait", "lease"];

pub(super) fn limit(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Limit {
    match arguments.value("limit") {
        Some(value) => {
            check_value(value, arguments, errors);
            Limit::Value(value.clone())
        }
        None => Limit::Parts(Box::new(parts(arguments, item, errors))),
    }
}

fn check_value(value: &Expr, arguments: &Arguments, errors: &mut Errors) {
    if is_integer(value) {
        let count = value.to_token_stream();
        errors.on(value, format!("`limit` is a whole `Limit`: the number of calls is `count = {count}`"));
    } else if let Some(rate) = super::string(value).and_then(|text| rate::read(&text.value())) {
        errors.on(value, format!("`limit` is a whole `Limit`: a rate is `{rate}`"));
    } else if is_literal(value) {
        errors.on(value, "`limit` has to be a `Limit`, as in `limit = self.plan.limit`");
    } else {
        for given in PARTS.into_iter().filter_map(|name| arguments.get(name)) {
            let name = &given.name;
            errors.on(name, format!("`{name}` is a part of `limit` already: remove one of them"));
        }
    }
}

fn parts(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Parts {
    let algorithm = algorithm(arguments, item, errors);
    let count = number("count", arguments, item, errors);
    let time = time("time", arguments, item, errors);
    check_count(&algorithm, count.as_ref(), errors);
    check_time(&algorithm, time.as_ref(), errors);
    // A `count` that is wrong has its own message, and is to cause no others.
    let default = if arguments.get("count").is_some() { u32::MAX } else { DEFAULT_COUNT };
    let parts = Parts {
        algorithm,
        count: count.unwrap_or(Number::Literal(default, Span::mixed_site())),
        time: time.unwrap_or(Time::Millis(DEFAULT_TIME_MS, Span::mixed_site())),
        wait: super::number::time("wait", arguments, item, errors),
        lease: lease::lease(arguments, item, errors),
    };
    check_capacity(&parts, errors);
    lease::check(&parts, arguments, errors);
    parts
}

fn check_count(algorithm: &Algorithm, count: Option<&Number>, errors: &mut Errors) {
    let (most, wrong) = match algorithm {
        Algorithm::Counter => return,
        Algorithm::TokenBucket { .. } | Algorithm::LeakyBucket { .. } => {
            (MAX_BUCKET, "`count` of a bucket has to be at most 33554432 (2^25)")
        }
        Algorithm::SlidingWindow => (MAX_WINDOW, "`count` of a sliding window has to be at most 33554431"),
        Algorithm::SlidingLog => (
            MAX_REMEMBERED,
            "`count` of a sliding log has to be at most 10000, since each unit is remembered: use `sliding_window`",
        ),
        Algorithm::Concurrency => (MAX_REMEMBERED, "`count` of a concurrency limit has to be at most 10000"),
    };
    if let Some(Number::Literal(number, span)) = count
        && *number > most
    {
        errors.at(*span, wrong);
    }
}

fn check_time(algorithm: &Algorithm, time: Option<&Time>, errors: &mut Errors) {
    if let (Algorithm::Concurrency, Some(Time::Millis(ms, span))) = (algorithm, time)
        && *ms < MIN_LEASE_MS
    {
        errors.at(*span, "`time` of a concurrency limit is the lease of a permit: it has to be at least 1 s");
    }
}

fn check_capacity(parts: &Parts, errors: &mut Errors) {
    let (burst, borrow) = match &parts.algorithm {
        Algorithm::TokenBucket { burst, borrow, .. } => (burst.as_ref(), borrow.as_ref()),
        Algorithm::LeakyBucket { burst } => (burst.as_ref(), None),
        _ => return,
    };
    if let Some(Number::Literal(number, span)) = burst
        && *number > MAX_BUCKET
    {
        errors.at(*span, "`burst` of a bucket has to be at most 33554432 (2^25)");
    } else if let Some(Number::Literal(borrowed, span)) = borrow
        && let Some(held) = burst.unwrap_or(&parts.count).literal()
        && held <= MAX_BUCKET
        && *borrowed > MAX_BUCKET - held
    {
        let name = if burst.is_some() { "burst" } else { "count" };
        errors.at(
            *span,
            format!("`{name}` and `borrow` of a bucket together have to be at most 33554432 (2^25)"),
        );
    }
}

pub(super) fn cost(arguments: &Arguments, limit: &Limit, errors: &mut Errors) -> Option<Expr> {
    let value = arguments.value("cost")?;
    let zero = "a call that costs nothing is never limited";
    if is_no_expression(value)
        && let Some(cost) = units("cost", value, zero, errors)
        && arguments.complete
        && let Limit::Parts(parts) = limit
    {
        check_cost_fits(value, cost, parts, errors);
    }
    Some(value.clone())
}

fn check_cost_fits(value: &Expr, cost: u32, parts: &Parts, errors: &mut Errors) {
    let (burst, borrow) = match &parts.algorithm {
        // A queue takes a cost of any size.
        Algorithm::LeakyBucket { .. } if parts.wait.is_some() => return,
        Algorithm::TokenBucket { burst, borrow, .. } => (burst.as_ref(), borrow.as_ref()),
        Algorithm::LeakyBucket { burst } => (burst.as_ref(), None),
        _ => (None, None),
    };
    let (name, held) = match burst {
        Some(burst) => ("burst", burst.literal()),
        None => ("count", parts.count.literal()),
    };
    let borrowed = borrow.map_or(Some(0), Number::literal);
    if let (Some(held), Some(borrowed)) = (held, borrowed)
        && cost > held.saturating_add(borrowed)
    {
        let least = cost - borrowed;
        errors.on(
            value,
            format!("`cost` is above what the limit can ever hold: raise `{name}` to {least} or more"),
        );
    }
}
