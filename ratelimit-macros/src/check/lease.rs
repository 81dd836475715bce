//! Units in advance: how many, and of which limits.

use super::number::number;
use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Algorithm, Lease, Number, Parts};
use crate::suggest::nearest;
use proc_macro2::Ident;
use syn::{Expr, ExprLit, Lit};

/// The word for a number that follows the limit's own.
const AUTO: &str = "auto";

/// What other libraries say for it.
const FOREIGN: [&str; 3] = ["automatic", "adaptive", "dynamic"];

pub(super) fn lease(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Option<Lease> {
    let value = arguments.value("lease")?;
    let wrong = match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => {
            let text = literal.value();
            match text.as_str() {
                AUTO => return Some(Lease::Auto(literal.span())),
                number if number.trim().parse::<u64>().is_ok() => None,
                other if is_auto(other) => Some(format!("unknown lease `{other}`; did you mean `{AUTO}`?")),
                _ => Some(not_a_lease()),
            }
        }
        Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }) => Some(not_a_lease()),
        Expr::Path(path) if path.path.get_ident().is_some_and(|word| is_bare_auto(word, item)) => {
            Some(format!("`lease` takes a word in quotes: write `lease = \"{AUTO}\"`"))
        }
        _ => None,
    };
    if let Some(wrong) = wrong {
        errors.on(value, wrong);
        return None;
    }
    number("lease", arguments, item, errors).map(Lease::Most)
}

fn is_bare_auto(word: &Ident, item: &Item) -> bool {
    word == AUTO && item.unknown_name(word).is_some()
}

fn is_auto(text: &str) -> bool {
    let plain = text.to_lowercase();
    FOREIGN.contains(&plain.as_str()) || nearest(&plain, [AUTO].into_iter()).is_some()
}

fn not_a_lease() -> String {
    format!("`lease` has to be a number of units, as in `lease = 50`, or `\"{AUTO}\"`")
}

/// Units that are the same whoever takes them can be handed out by another than the store, if nothing else is asked of
/// it.
pub(super) fn check(parts: &Parts, arguments: &Arguments, errors: &mut Errors) {
    let Some(given) = arguments.get("lease").filter(|_| arguments.complete) else { return };
    if let Algorithm::Concurrency = parts.algorithm {
        errors.on(&given.name, "the lease of a permit is called `time`: write `time` instead of `lease`");
        return;
    }
    if !matches!(parts.algorithm, Algorithm::Counter | Algorithm::TokenBucket { .. }) {
        errors.on(
            &given.name,
            format!(
                "`lease` needs a counter or a token bucket: the store alone can decide a `{}`",
                parts.algorithm.name()
            ),
        );
    }
    for other in ["wait", "charge_if", "refund_if", "settle"] {
        if arguments.get(other).is_some() {
            errors.on(
                &given.name,
                format!("`lease` and `{other}` exclude each other: units on lease are handed out without asking the store, so remove one of them"),
            );
        }
    }
    let held = match &parts.algorithm {
        Algorithm::TokenBucket { burst, borrow, .. } => {
            let borrowed = borrow.as_ref().map_or(Some(0), Number::literal);
            burst
                .as_ref()
                .unwrap_or(&parts.count)
                .literal()
                .zip(borrowed)
                .map(|(held, more)| held.saturating_add(more))
        }
        _ => parts.count.literal(),
    };
    if let (Some(Lease::Most(Number::Literal(lease, span))), Some(held)) = (&parts.lease, held)
        && *lease > held / 2
    {
        errors.at(
            *span,
            format!("`lease` is more than half of the {held} units that the limit can hold, and one process would keep all of them: write a quarter of them for each process, or less"),
        );
    }
}
