//! The rules: what the arguments mean, and every way in which they can be wrong.

use crate::args::Arguments;
use crate::duration;
use crate::errors::Errors;
use crate::item::Item;
use crate::key::Template;
use crate::model::{Algorithm, By, Limit, Model, Number, Time};
use crate::suggest::suggest;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitStr, Path, UnOp, parse_quote};

/// The longest time of a limit: 366 days.
const MAX_TIME_MS: u64 = 366 * 86_400_000;
/// The largest `count` and `burst` of a bucket.
const MAX_BUCKET: u32 = 1 << 26;

/// What the arguments mean for this function. Meaningless where errors were found.
pub(crate) fn check(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Model {
    let limit = limit(arguments, item, errors);
    let cost = arguments.value("cost").cloned();
    check_cost(cost.as_ref(), &limit, errors);
    Model {
        runtime: runtime(arguments, errors),
        key: key(arguments, item, errors),
        by: by(arguments, errors),
        limit,
        cost,
        on_limit: arguments.value("on_limit").cloned(),
        limiter: arguments.value("limiter").cloned(),
    }
}

fn runtime(arguments: &Arguments, errors: &mut Errors) -> Path {
    match arguments.value("crate") {
        None => parse_quote!(::ratelimit),
        Some(Expr::Path(path)) if path.qself.is_none() => path.path.clone(),
        Some(other) => {
            errors.on(other, "`crate` has to be a path, as in `crate = ::my::ratelimit`");
            parse_quote!(::ratelimit)
        }
    }
}

fn key(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Template> {
    let value = arguments.value("key")?;
    let Some(literal) = string(value) else {
        errors.on(
            value,
            "`key` has to be a string literal: values go into holes, as in `key = \"report:{id}\"`",
        );
        return None;
    };
    match Template::parse(literal) {
        Ok(template) => {
            for hole in &template.holes {
                if let Some(wrong) = item.unknown_name(&hole.root) {
                    errors.on(literal, format!("`{{{}}}` in `key` {wrong}", hole.text));
                }
            }
            Some(template)
        }
        Err(messages) => {
            messages.iter().for_each(|message| errors.on(literal, message));
            None
        }
    }
}

fn by(arguments: &Arguments, errors: &mut Errors) -> By {
    let value = match arguments.value("by") {
        None => return By::Global,
        Some(value) => value,
    };
    let Some(literal) = string(value) else {
        return match value {
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                By::Values(tuple.elems.iter().cloned().collect())
            }
            other => By::Values(vec![other.clone()]),
        };
    };
    match literal.value().as_str() {
        "ip" => By::Ip(literal.span()),
        "global" => By::Global,
        other => {
            let suggestion = suggest(other, ["ip", "global"].into_iter());
            errors.on(
                literal,
                format!("unknown identity `{other}`{suggestion}, or an expression, as in `by = user.id`"),
            );
            By::Global
        }
    }
}

fn limit(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Limit {
    let algorithm = algorithm(arguments, item, errors);
    let count = number("count", arguments, item, errors).unwrap_or(Number::Literal(100, item.span()));
    let bucket = matches!(algorithm, Algorithm::TokenBucket { .. });
    if bucket {
        let burst = if let Algorithm::TokenBucket { burst, .. } = &algorithm {
            burst.as_ref()
        } else {
            None
        };
        for (name, number) in [("count", Some(&count)), ("burst", burst)] {
            if let Some(Number::Literal(n, span)) = number
                && *n > MAX_BUCKET
            {
                errors.at(
                    *span,
                    format!("`{name}` of a bucket has to be at most {MAX_BUCKET} (2^26)"),
                );
            }
        }
    }
    Limit {
        algorithm,
        count,
        time: time(arguments, item, errors),
    }
}

fn algorithm(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Algorithm {
    let word = word("algorithm", &["counter", "token_bucket"], arguments, errors);
    let burst = number("burst", arguments, item, errors);
    let refill = self::word("refill", &["greedy", "interval"], arguments, errors);
    match word.as_deref() {
        Some("token_bucket") => Algorithm::TokenBucket {
            burst,
            interval: refill.as_deref() == Some("interval"),
        },
        // A wrong word has its own message.
        None if arguments.get("algorithm").is_some() => Algorithm::Counter,
        _ => {
            for name in ["burst", "refill"] {
                if let Some(given) = arguments.get(name) {
                    errors.at(
                        given.span(),
                        format!("`{name}` needs a bucket: add `algorithm = \"token_bucket\"`"),
                    );
                }
            }
            Algorithm::Counter
        }
    }
}

/// One of a few words.
fn word(name: &str, words: &[&str], arguments: &Arguments, errors: &mut Errors) -> Option<String> {
    let value = arguments.value(name)?;
    let Some(literal) = string(value) else {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        errors.on(value, format!("`{name}` has to be {}", words.join(" or ")));
        return None;
    };
    let found = literal.value();
    if words.contains(&found.as_str()) {
        return Some(found);
    }
    errors.on(
        literal,
        format!(
            "unknown {name} `{found}`{}",
            suggest(&found, words.iter().copied())
        ),
    );
    None
}

fn number(name: &str, arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Number> {
    let value = arguments.value(name)?;
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => match literal.base10_parse::<u64>().map(u32::try_from) {
            Ok(Ok(0)) => errors.on(
                value,
                format!("`{name}` has to be at least 1: a limit of zero would refuse every call"),
            ),
            Ok(Ok(number)) => return Some(Number::Literal(number, value.span())),
            _ => errors.on(value, format!("`{name}` has to be at most {}", u32::MAX)),
        },
        _ if is_negative(value) => errors.on(
            value,
            format!("`{name}` has to be at least 1, and cannot be negative"),
        ),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) if text.value().trim().parse::<u64>().is_ok() => {
            errors.on(
                value,
                format!(
                    "`{name}` has to be a number: write `{name} = {}`",
                    text.value().trim()
                ),
            );
        }
        Expr::Lit(_) => errors.on(
            value,
            format!("`{name}` has to be a whole number, as in `{name} = 5`"),
        ),
        path if item.is_const_path(path) => return Some(Number::Const(value.clone())),
        _ => return Some(Number::Dynamic(value.clone())),
    }
    None
}

fn time(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Time {
    let default = Time::Millis(60_000);
    let Some(value) = arguments.value("time") else {
        return default;
    };
    let ms = match value {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal
            .base10_parse::<u64>()
            .ok()
            .and_then(|seconds| seconds.checked_mul(1000))
            .ok_or(""),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => match duration::parse(&text.value()) {
            Ok(ms) => Ok(ms),
            Err(wrong) if text.value().trim().parse::<u64>().is_ok() => {
                let seconds = text.value().trim().to_owned();
                errors.on(
                    value,
                    format!("`time` {wrong}, or `time = {seconds}`").replace("it has", "has"),
                );
                return default;
            }
            Err(wrong) => {
                errors.on(value, format!("`{}` is no duration: {wrong}", text.value()));
                return default;
            }
        },
        Expr::Lit(ExprLit {
            lit: Lit::Float(_), ..
        }) => {
            errors.on(
                value,
                "`time` in seconds has to be a whole number: write `time = \"1500ms\"` for one and a half",
            );
            return default;
        }
        _ if is_negative(value) => {
            errors.on(value, "`time` has to be at least 1 ms, and cannot be negative");
            return default;
        }
        Expr::Lit(_) => {
            errors.on(
                value,
                "`time` has to be seconds (`time = 60`), a duration (`time = \"1h30m\"`) or a `Duration`",
            );
            return default;
        }
        path if item.is_const_path(path) => return Time::Const(value.clone()),
        _ => return Time::Dynamic(value.clone()),
    };
    match ms {
        Ok(0) => errors.on(value, "`time` has to be at least 1 ms"),
        Ok(ms) if ms <= MAX_TIME_MS => return Time::Millis(ms),
        _ => errors.on(value, "`time` has to be at most 366 days"),
    }
    default
}

fn check_cost(cost: Option<&Expr>, limit: &Limit, errors: &mut Errors) {
    let Some(value) = cost else { return };
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => match literal.base10_parse::<u64>().map(u32::try_from) {
            Ok(Ok(0)) => errors.on(
                value,
                "`cost` has to be at least 1: a call that costs nothing is never limited",
            ),
            Ok(Ok(cost)) => check_cost_fits(value, cost, limit, errors),
            _ => errors.on(value, format!("`cost` has to be at most {}", u32::MAX)),
        },
        _ if is_negative(value) => errors.on(value, "`cost` has to be at least 1, and cannot be negative"),
        Expr::Lit(_) => errors.on(
            value,
            "`cost` has to be a whole number or an expression that gives a `u32`",
        ),
        _ => {}
    }
}

fn check_cost_fits(value: &Expr, cost: u32, limit: &Limit, errors: &mut Errors) {
    let (name, capacity) = match &limit.algorithm {
        Algorithm::TokenBucket {
            burst: Some(burst), ..
        } => ("burst", burst),
        _ => ("count", &limit.count),
    };
    if let Number::Literal(capacity, _) = capacity
        && cost > *capacity
    {
        errors.on(value, format!("`cost` is above what the limit can ever hold: no call could pass; raise `{name}` to {cost} or more"));
    }
}

fn string(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => Some(literal),
        _ => None,
    }
}

fn is_negative(value: &Expr) -> bool {
    matches!(value, Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if matches!(&**expr, Expr::Lit(_)))
}
