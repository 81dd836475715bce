//! Numbers and times: literals are checked here, constants by the compiler, everything else at each call.

use crate::args::Arguments;
use crate::duration;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Number, Time};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, UnOp};

/// The longest time of a limit: 366 days.
const MAX_TIME_MS: u64 = 366 * 86_400_000;
/// The time of a limit that says none.
const DEFAULT_TIME_MS: u64 = 60_000;

pub(super) fn number(name: &str, arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Number> {
    let value = arguments.value(name)?;
    if !is_literal(value) {
        return Some(Number::Value(value.clone(), item.known(value)));
    }
    let zero = match name {
        "burst" => "a bucket of zero would refuse every call",
        _ => "a limit of zero would refuse every call",
    };
    let number = units(name, value, zero, errors)?;
    Some(Number::Literal(number, value.span()))
}

/// A literal number of units from 1 to `u32::MAX`; `zero` says why zero makes no sense.
pub(super) fn units(name: &str, value: &Expr, zero: &str, errors: &mut Errors) -> Option<u32> {
    let wrong = match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if is_integer(literal) => {
            match literal.base10_parse::<u64>().map(u32::try_from) {
                Ok(Ok(0)) => format!("`{name}` has to be at least 1: {zero}"),
                Ok(Ok(number)) => return Some(number),
                _ => format!("`{name}` has to be at most {}", u32::MAX),
            }
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_digits(&text.value()) => {
            format!("`{name}` has to be a number: write `{name} = {}`", text.value().trim())
        }
        Expr::Unary(_) => format!("`{name}` cannot be negative: it has to be at least 1"),
        _ => format!("`{name}` has to be a whole number, as in `{name} = 5`"),
    };
    errors.on(value, wrong);
    None
}

pub(super) fn time(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Time {
    let default = Time::Millis(DEFAULT_TIME_MS, Span::mixed_site());
    let Some(value) = arguments.value("time") else {
        return default;
    };
    if !is_literal(value) {
        return Time::Value(value.clone(), item.known(value));
    }
    match millis(value) {
        Ok(0) => errors.on(value, "`time` has to be at least 1 ms"),
        Ok(ms) if ms <= MAX_TIME_MS => return Time::Millis(ms, value.span()),
        Ok(_) => errors.on(value, "`time` has to be at most 366 days"),
        Err(wrong) => errors.on(value, wrong),
    }
    default
}

/// The milliseconds of a literal, or what is wrong with it.
fn millis(value: &Expr) -> Result<u64, String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if is_integer(literal) => {
            let seconds = literal.base10_parse::<u64>().unwrap_or(u64::MAX);
            Ok(seconds.saturating_mul(1000))
        }
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. })
            if duration::parse(&literal.to_string()).is_ok() =>
        {
            Err(format!("`{literal}` needs quotes: write `time = \"{literal}\"`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_digits(&text.value()) => {
            let seconds = text.value().trim().to_owned();
            Err(format!("`time` has no unit: write `time = \"{seconds}s\"` or `time = {seconds}`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => duration::parse(&text.value())
            .map_err(|wrong| format!("`{}` is not a duration: {wrong}", text.value())),
        Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => {
            Err("`time` in seconds has to be a whole number: write `time = \"1500ms\"` for one and a half"
                .to_owned())
        }
        Expr::Unary(_) => Err("`time` cannot be negative: it has to be at least 1 ms".to_owned()),
        _ => Err("`time` has to be seconds (`time = 60`), a duration (`time = \"1h30m\"`) or a `Duration`"
            .to_owned()),
    }
}

/// A literal, or the negative of one.
pub(super) fn is_literal(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) => true,
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => matches!(&**expr, Expr::Lit(_)),
        _ => false,
    }
}

/// `60`, `60u32`; not `60s`.
fn is_integer(literal: &LitInt) -> bool {
    literal.suffix().is_empty() || literal.suffix().starts_with(['u', 'i'])
}

fn is_digits(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok()
}
