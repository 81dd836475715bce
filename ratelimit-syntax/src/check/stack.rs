//! Checks whether the limits of a stack fit together.

use crate::args::Arguments;
use crate::errors::Errors;
use crate::model::{Identity, Limit, Member, Number, RequestPart, Shadow, Value};
use quote::ToTokens;
use ratelimit_limit::rules::{State, duration};
use syn::Expr;

/// The arguments that a stack has at most once, on its topmost attribute.
const OF_THE_STACK: [&str; 5] = ["on_limit", "fallible", "on_error", "limiter", "crate"];

pub(super) fn check(first: &Arguments, others: &[Arguments], members: &[Member], errors: &mut Errors) {
    for arguments in others {
        for given in OF_THE_STACK.into_iter().filter_map(|name| arguments.get(name)) {
            let name = &given.name;
            errors.on(
                name,
                format!("`{name}` is for all limits of a function: write it in the first attribute"),
            );
        }
    }
    let all: Vec<_> = std::iter::once(first).chain(others).zip(members).collect();
    if !others.is_empty() {
        for given in all.iter().filter_map(|(arguments, _)| arguments.get("lease")) {
            errors.on(&given.name, "`lease` needs a function with one limit, because several limits are always decided by the store: remove it");
        }
    }
    if all.iter().any(|(arguments, _)| !arguments.complete) {
        return;
    }
    for (arguments, member) in &all {
        if let Some(wrong) = all.iter().find_map(|(_, other)| never_refuses(other, member)) {
            match arguments.value("count") {
                Some(count) => errors.on(count, wrong),
                None => arguments.error(errors, wrong),
            }
        }
    }
}

/// Whether two limits have the same `key` and limit the same callers.
fn have_same_key_and_callers(a: &Member, b: &Member) -> bool {
    let by = |member: &Member| -> Vec<Result<RequestPart, String>> {
        let texts = member.identities().iter().map(|identity| match identity {
            Identity::Part(part, _) => Ok(part.clone()),
            Identity::Value(value) => Err(text(value)),
        });
        texts.collect()
    };
    let same_shadow = match (&a.shadow, &b.shadow) {
        (Shadow::Never, Shadow::Never) | (Shadow::Always, Shadow::Always) => true,
        (Shadow::If(a), Shadow::If(b)) => text(a) == text(b),
        _ => false,
    };
    a.key_text() == b.key_text() && by(a) == by(b) && same_shadow
}

/// Explains that a limit never refuses, because another limit of the stack refuses first. `None` if the limit may refuse.
fn never_refuses(other: &Member, this: &Member) -> Option<String> {
    let ((count, time_ms, exact), (most, in_ms, exact_too)) =
        (literal_numbers(other)?, literal_numbers(this)?);
    let same = |of: fn(&Member) -> Option<&Expr>| of(other).map(text) == of(this).map(text);
    let same = same(|member| member.cost.as_ref()) && same(|member| member.skip_if.as_ref());
    // With `keep`, a limit already refuses a call before its units are used up, so the counts cannot be compared.
    let keeps = other.keep.is_some() || this.keep.is_some();
    if std::ptr::eq(other, this) || !have_same_key_and_callers(other, this) || !same || keeps {
        return None;
    }
    // A log admits at most `count` units in any interval of `time`. A limit with windows can admit `2 * count` around the edge
    // between two windows, so its bound has one window more. Two clocks can also differ by a millisecond at each end of the
    // interval, so the interval gets 2 ms longer.
    let windows =
        if exact && exact_too { in_ms.div_ceil(time_ms) } else { (in_ms + 2).div_ceil(time_ms) + 1 };
    let passed = u128::from(count) * u128::from(windows);
    (u128::from(most) >= passed).then(|| {
        format!(
            "this limit never refuses a call, because another limit of this function ({count} in {}) admits at most {passed} units in {}: write a smaller `count`, remove this limit, or give it a `key` of its own to share it with other functions",
            duration::show(time_ms),
            duration::show(in_ms)
        )
    })
}

/// The `count`, the `time` in ms, and whether every interval of `time` has at most `count` units. `None` if a number is not a
/// literal, or if the limit does not charge each call at its decision.
fn literal_numbers(member: &Member) -> Option<(u32, u64, bool)> {
    let Limit::Numbers(numbers) = &member.limit else { return None };
    let exact = match numbers.algorithm.state() {
        State::Counter | State::SlidingWindow => false,
        State::Log => true,
        State::Bucket | State::Permits => return None,
    };
    // Months differ in length, so limits with calendar windows are not compared.
    let (Value::Millis(time_ms, _), None) = (numbers.get(Number::Time)?, numbers.get(Number::Wait)) else {
        return None;
    };
    // A time out of range has its own error.
    Number::Time.check(&numbers.assumed()).ok()?;
    let numbers = (numbers.units(Number::Count)?, *time_ms, exact);
    member.afterwards.is_none().then_some(numbers)
}

fn text(value: &impl ToTokens) -> String {
    value.to_token_stream().to_string()
}
