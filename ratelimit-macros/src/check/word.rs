//! Values that are one of a few words.

use super::number::is_integer;
use super::string;
use crate::args::Arguments;
use crate::errors::Errors;
use crate::suggest::suggest;
use syn::{Expr, ExprLit, Lit};

/// What other libraries say, and what that is here, as the end of "here it ".
pub(super) type Foreign = &'static [(&'static [&'static str], &'static str)];

/// What the argument says, if it is one of the words.
pub(super) fn word(
    name: &str,
    words: &[&str],
    foreign: Foreign,
    arguments: &Arguments,
    errors: &mut Errors,
) -> Option<String> {
    let value = arguments.value(name)?;
    let Some(literal) = string(value) else {
        let known = bare_word(value).and_then(|word| translated(&word, foreign));
        errors.on(
            value,
            known.map_or_else(
                || not_a_word(name, words, value),
                |ours| format!("`{name}` takes a word in quotes, and here it {ours}"),
            ),
        );
        return None;
    };
    let found = literal.value();
    if words.contains(&found.as_str()) {
        return Some(found);
    }
    let hint = match translated(&found, foreign) {
        Some(ours) => format!(": here it {ours}"),
        None => suggest(&found, words.iter().copied()),
    };
    errors.on(literal, format!("unknown {name} `{found}`{hint}"));
    None
}

fn translated(found: &str, foreign: Foreign) -> Option<&'static str> {
    let plain = found.to_lowercase().replace(['-', ' '], "_");
    foreign.iter().find(|(words, _)| words.contains(&plain.as_str())).map(|(_, ours)| *ours)
}

/// A word without its quotes.
fn bare_word(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Lit(ExprLit { lit: Lit::Bool(word), .. }) => Some(word.value.to_string()),
        _ => None,
    }
}

fn not_a_word(name: &str, words: &[&str], value: &Expr) -> String {
    if name == "refill" && is_integer(value) {
        return "`refill` says how tokens come back, `\"greedy\"` or `\"interval\"`: how many is `count`"
            .to_owned();
    }
    if let Expr::Path(path) = value
        && let Some(word) = path.path.get_ident()
        && words.iter().any(|known| word == known)
    {
        return format!("`{name}` takes a word in quotes: write `{name} = \"{word}\"`");
    }
    let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
    format!("`{name}` has to be {}", words.join(" or "))
}
