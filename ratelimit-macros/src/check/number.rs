//! Numbers and times: literals are checked here, constants by the compiler, everything else at each call.

use crate::args::Arguments;
use crate::duration;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Number, Time};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, UnOp};

/// The longest time of a limit: 366 days.
const MAX_TIME_MS: u64 = 366 * 86_400_000;

pub(super) fn number(name: &str, arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Number> {
    let value = arguments.value(name)?;
    if !is_no_expression(value) {
        return Some(Number::Value(value.clone(), item.known(value)));
    }
    let zero = match name {
        "burst" => "a bucket of zero would refuse every call",
        "lease" => "to ask the store each time, leave it out",
        _ => "a limit of zero would refuse every call",
    };
    let number = units(name, value, zero, errors)?;
    Some(Number::Literal(number, value.span()))
}

/// The same, where zero says no more than that the argument is left out.
pub(super) fn number_or_zero(
    name: &str,
    arguments: &Arguments,
    item: &Item,
    errors: &mut Errors,
) -> Option<Number> {
    match arguments.value(name)? {
        Expr::Lit(ExprLit { lit: Lit::Int(zero), .. }) if zero.base10_digits() == "0" => {
            Some(Number::Literal(0, zero.span()))
        }
        _ => number(name, arguments, item, errors),
    }
}

/// A literal number of units from 1 to `u32::MAX`; `zero` says why zero makes no sense.
pub(super) fn units(name: &str, value: &Expr, zero: &str, errors: &mut Errors) -> Option<u32> {
    let wrong = match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if is_whole(literal) => {
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
        Expr::Closure(_) if name == "cost" => {
            "`cost` is asked before the body and takes no closure: write its body alone, or `settle` for the cost by the result".to_owned()
        }
        Expr::Closure(_) => format!("`{name}` takes no closure: write its body alone"),
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => {
            format!("`{name}` has to be a number, or an expression without quotes, as in `{name} = 5`")
        }
        _ => format!("`{name}` has to be a whole number, as in `{name} = 5`"),
    };
    errors.on(value, wrong);
    None
}

pub(super) fn time(name: &str, arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Time> {
    let value = arguments.value(name)?;
    if !is_literal(value) {
        return Some(Time::Value(value.clone(), item.known(value)));
    }
    match millis(name, value) {
        Ok(0) if name == "wait" => {
            errors.on(value, "`wait` has to be at least 1 ms: to refuse at once, leave it out");
        }
        Ok(0) => errors.on(value, "`time` has to be at least 1 ms"),
        Ok(ms) if ms <= MAX_TIME_MS => return Some(Time::Millis(ms, value.span())),
        Ok(_) => errors.on(value, format!("`{name}` has to be at most 366 days")),
        Err(wrong) => errors.on(value, wrong),
    }
    None
}

/// The milliseconds of a literal, or what is wrong with it.
fn millis(name: &str, value: &Expr) -> Result<u64, String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if is_whole(literal) => {
            let seconds = literal.base10_parse::<u64>().unwrap_or(u64::MAX);
            Ok(seconds.saturating_mul(1000))
        }
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. })
            if duration::parse(&literal.to_string()).is_ok() =>
        {
            Err(format!("`{literal}` needs quotes: write `{name} = \"{literal}\"`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_digits(&text.value()) => {
            let seconds = text.value().trim().to_owned();
            Err(format!("`{name}` has no unit: write `{name} = \"{seconds}s\"` or `{name} = {seconds}`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => duration::parse(&text.value())
            .map_err(|wrong| format!("`{}` is not a duration: {wrong}", text.value())),
        Expr::Lit(ExprLit { lit: Lit::Float(seconds), .. }) => {
            let ms =
                seconds.base10_parse::<f64>().map_or(1500.0, |seconds| (seconds * 1000.0).round().max(1.0));
            Err(format!("`{name}` in seconds has to be a whole number: write `{name} = \"{ms}ms\"`"))
        }
        Expr::Unary(_) => Err(format!("`{name}` cannot be negative: it has to be at least 1 ms")),
        _ => Err(format!(
            "`{name}` has to be seconds (`{name} = 60`), a duration (`{name} = \"1h30m\"`) or a `Duration`"
        )),
    }
}

/// What says by its form whether it is a number.
pub(super) fn is_no_expression(value: &Expr) -> bool {
    is_literal(value) || matches!(value, Expr::Closure(_))
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
pub(super) fn is_integer(value: &Expr) -> bool {
    matches!(value, Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if is_whole(literal))
}

fn is_whole(literal: &LitInt) -> bool {
    literal.suffix().is_empty() || literal.suffix().starts_with(['u', 'i'])
}

fn is_digits(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok()
}
