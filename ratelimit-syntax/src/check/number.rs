//! Checks numbers and times. Literals are checked here, constants by the compiler, and all other values at each call.

use super::checker::Checker;
use super::literal::{integer, is_digits, is_literal};
use crate::model::{Calendar, Value};
use ratelimit_limit::rules::duration;
use ratelimit_limit::rules::violation::{ZERO_BURST, ZERO_COUNT};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

impl Checker<'_> {
    /// Reads a value that is a number of units.
    pub(super) fn number(&mut self, name: &str, value: &Expr) -> Option<Value> {
        if !shows_its_type(value) {
            return Some(Value::Written(value.clone(), self.item.known(value)));
        }
        let number = self.units(name, value)?;
        Some(Value::Units(number, value.span()))
    }

    /// Reads a literal number of units, from 1 to `u32::MAX`.
    pub(super) fn units(&mut self, name: &str, value: &Expr) -> Option<u32> {
        let wrong = match (value, integer(value)) {
            (_, Some(literal)) => match literal.base10_parse::<u64>().map(u32::try_from) {
                Ok(Ok(0)) => zero(name).to_owned(),
                Ok(Ok(number)) => return Some(number),
                _ => format!("`{name}` must be at most {}", u32::MAX),
            },
            (Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), _) if is_digits(&text.value()) => {
                format!("`{name}` must be a number: write `{name} = {}`", text.value().trim())
            }
            (Expr::Unary(_), _) => format!("`{name}` cannot be negative: it must be at least 1"),
            (Expr::Closure(_), _) if name == "cost" => {
                "`cost` is evaluated before the body and takes no closure: write its body alone, or `settle` for a cost that depends on the result".to_owned()
            }
            (Expr::Closure(_), _) => format!("`{name}` takes no closure: write its body alone"),
            (Expr::Lit(ExprLit { lit: Lit::Str(_), .. }), _) => {
                format!("`{name}` must be a number, or an expression without quotes, as in `{name} = 5`")
            }
            _ => format!("`{name}` must be a whole number, as in `{name} = 5`"),
        };
        self.error(value, wrong);
        None
    }

    /// Reads a value that is a time.
    pub(super) fn time(&mut self, name: &str, value: &Expr) -> Option<Value> {
        if !is_literal(value) {
            return Some(Value::Written(value.clone(), self.item.known(value)));
        }
        match millis(name, value) {
            Ok(0) if name == "wait" => {
                self.error(value, "`wait` must be at least 1 ms: to refuse at once, leave it out");
            }
            Ok(ms) => return Some(Value::Millis(ms, value.span())),
            Err(wrong) => self.error(value, wrong),
        }
        None
    }
}

/// Whether a value is a literal or a closure. The form of such a value already shows whether it is a number.
pub(super) fn shows_its_type(value: &Expr) -> bool {
    is_literal(value) || matches!(value, Expr::Closure(_))
}

/// Says why an argument cannot be zero.
fn zero(name: &str) -> &'static str {
    match name {
        "burst" => ZERO_BURST,
        "cost" => "`cost` must be at least 1: a call that costs nothing is never limited",
        "lease" => "`lease` must be at least 1: to ask the store each time, leave it out",
        _ => ZERO_COUNT,
    }
}

/// Names the calendar window that a text such as `1 month` may mean.
fn calendar_hint(name: &str, text: &str) -> String {
    let word = text.trim().strip_prefix('1').map(str::trim).filter(|_| name == "time");
    let calendar = word.and_then(|word| Calendar::named(word.strip_suffix('s').unwrap_or(word)));
    calendar.filter(|calendar| *calendar != Calendar::Hour).map_or_else(String::new, |calendar| {
        let word = calendar.as_str();
        format!("; for a window that ends with the {word} of the calendar, write `time = \"{word}\"`")
    })
}

/// The milliseconds of a literal, or a message that says what is wrong with it.
fn millis(name: &str, value: &Expr) -> Result<u64, String> {
    if let Some(seconds) = integer(value) {
        return Ok(seconds.base10_parse::<u64>().unwrap_or(u64::MAX).saturating_mul(1000));
    }
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. })
            if duration::parse(&literal.to_string()).is_ok() =>
        {
            Err(format!("`{literal}` needs quotes: write `{name} = \"{literal}\"`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_digits(&text.value()) => {
            let seconds = text.value().trim().to_owned();
            Err(format!("`{name}` has no unit: write `{name} = \"{seconds}s\"` or `{name} = {seconds}`"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => duration::parse(&text.value()).map_err(|wrong| {
            let hint = calendar_hint(name, &text.value());
            format!("`{}` is not a duration: {wrong}{hint}", text.value())
        }),
        Expr::Lit(ExprLit { lit: Lit::Float(seconds), .. }) => {
            let ms =
                seconds.base10_parse::<f64>().map_or(1500.0, |seconds| (seconds * 1000.0).round().max(1.0));
            Err(format!("`{name}` in seconds must be a whole number: write `{name} = \"{ms}ms\"`"))
        }
        Expr::Unary(_) => Err(format!("`{name}` cannot be negative: it must be at least 1 ms")),
        _ => Err(format!(
            "`{name}` must be seconds (`{name} = 60`), a duration (`{name} = \"1h30m\"`) or a `Duration`"
        )),
    }
}
