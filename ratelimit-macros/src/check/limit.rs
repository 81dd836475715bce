//! The limit itself: which algorithm, and whether its numbers fit each other.

use super::number::{is_literal, number, time, units};
use super::string;
use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Algorithm, Limit, Number};
use crate::suggest::suggest;
use proc_macro2::Span;
use syn::Expr;

/// The largest `count` and `burst` of a bucket.
const MAX_BUCKET: u32 = 1 << 26;
/// The `count` of a limit that says none.
const DEFAULT_COUNT: u32 = 100;

pub(super) fn limit(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Limit {
    let algorithm = algorithm(arguments, item, errors);
    let count = number("count", arguments, item, errors);
    if let Algorithm::TokenBucket { burst, .. } = &algorithm {
        check_bucket("count", count.as_ref(), errors);
        check_bucket("burst", burst.as_ref(), errors);
    }
    // A `count` that is wrong has its own message, and is to cause no others.
    let default = if arguments.get("count").is_some() { u32::MAX } else { DEFAULT_COUNT };
    Limit {
        algorithm,
        count: count.unwrap_or(Number::Literal(default, Span::mixed_site())),
        time: time(arguments, item, errors),
    }
}

fn check_bucket(name: &str, number: Option<&Number>, errors: &mut Errors) {
    if let Some(Number::Literal(number, span)) = number
        && *number > MAX_BUCKET
    {
        errors.at(*span, format!("`{name}` of a bucket has to be at most {MAX_BUCKET} (2^26)"));
    }
}

fn algorithm(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Algorithm {
    let algorithm = word("algorithm", &["counter", "token_bucket"], arguments, errors);
    let burst = number("burst", arguments, item, errors);
    let refill = word("refill", &["greedy", "interval"], arguments, errors);
    match algorithm.as_deref() {
        Some("token_bucket") => {
            Algorithm::TokenBucket { burst, interval: refill.as_deref() == Some("interval") }
        }
        // A wrong word has its own message.
        None if arguments.get("algorithm").is_some() || !arguments.complete => Algorithm::Counter,
        _ => {
            for given in ["burst", "refill"].into_iter().filter_map(|name| arguments.get(name)) {
                errors.on(
                    &given.name,
                    format!("`{}` needs a bucket: add `algorithm = \"token_bucket\"`", given.name),
                );
            }
            Algorithm::Counter
        }
    }
}

/// One of a few words.
fn word(name: &str, words: &[&str], arguments: &Arguments, errors: &mut Errors) -> Option<String> {
    let value = arguments.value(name)?;
    let Some(literal) = string(value) else {
        let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        errors.on(value, format!("`{name}` has to be {}", words.join(" or ")));
        return None;
    };
    let found = literal.value();
    if words.contains(&found.as_str()) {
        return Some(found);
    }
    let suggestion = suggest(&found, words.iter().copied());
    errors.on(literal, format!("unknown {name} `{found}`{suggestion}"));
    None
}

pub(super) fn cost(arguments: &Arguments, limit: &Limit, errors: &mut Errors) -> Option<Expr> {
    let value = arguments.value("cost")?;
    let zero = "a call that costs nothing is never limited";
    if is_literal(value)
        && let Some(cost) = units("cost", value, zero, errors)
        && arguments.complete
    {
        check_cost_fits(value, cost, limit, errors);
    }
    Some(value.clone())
}

fn check_cost_fits(value: &Expr, cost: u32, limit: &Limit, errors: &mut Errors) {
    let (name, capacity) = match &limit.algorithm {
        Algorithm::TokenBucket { burst: Some(burst), .. } => ("burst", burst),
        _ => ("count", &limit.count),
    };
    if let Number::Literal(capacity, _) = capacity
        && cost > *capacity
    {
        errors.on(
            value,
            format!("`cost` is above what the limit can ever hold: raise `{name}` to {cost} or more"),
        );
    }
}
