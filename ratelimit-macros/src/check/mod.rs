//! The rules: what the arguments mean, and every way in which they can be wrong.

mod limit;
mod number;

use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::key::Template;
use crate::model::{Identity, Model};
use crate::suggest::nearest;
use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, LitStr, Path, parse_quote_spanned};

/// What the arguments mean for this function. Meaningless where errors were found.
pub(crate) fn check(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Model {
    let limit = limit::limit(arguments, item, errors);
    Model {
        runtime: runtime(arguments, errors),
        key: key(arguments, item, errors),
        by: by(arguments, item, errors),
        cost: limit::cost(arguments, &limit, errors),
        limit,
        on_limit: arguments.value("on_limit").cloned(),
        limiter: arguments.value("limiter").cloned(),
    }
}

fn runtime(arguments: &Arguments, errors: &mut Errors) -> Path {
    let default = parse_quote_spanned!(Span::mixed_site()=> ::ratelimit);
    match arguments.value("crate") {
        None => default,
        Some(Expr::Path(path)) if path.qself.is_none() => path.path.clone(),
        Some(other) => {
            errors.on(other, "`crate` has to be a path, as in `crate = ::my::ratelimit`");
            default
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
            for message in messages {
                errors.on(literal, message);
            }
            None
        }
    }
}

fn by(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Vec<Identity> {
    match arguments.value("by") {
        None => Vec::new(),
        Some(Expr::Tuple(tuple)) if !tuple.elems.is_empty() => {
            let elements = tuple.elems.iter();
            elements.filter_map(|value| identity(value, &["ip"], item, errors)).collect()
        }
        Some(value) => identity(value, &["ip", "global"], item, errors).into_iter().collect(),
    }
}

/// One element of who is limited, where some words have a meaning.
fn identity(value: &Expr, words: &[&str], item: &Item, errors: &mut Errors) -> Option<Identity> {
    if let Some(literal) = string(value) {
        match literal.value().as_str() {
            "ip" => return Some(Identity::Ip(literal.span())),
            "global" if words.contains(&"global") => {}
            other => errors.on(literal, unknown_word(other, words)),
        }
        return None;
    }
    if let Expr::Lit(_) = value {
        errors.on(
            value,
            "a constant in `by` is the same for every caller: write a value that differs, as in `by = user.id`",
        );
        return None;
    }
    if let Expr::Path(path) = value
        && let Some(word) = path.path.get_ident().filter(|ident| words.iter().any(|word| ident == word))
        && item.unknown_name(word).is_some()
    {
        errors.on(value, format!("`{word}` in `by` needs quotes: write `by = \"{word}\"`"));
        return None;
    }
    Some(Identity::Value(value.clone()))
}

fn unknown_word(found: &str, words: &[&str]) -> String {
    if let Some(word) = nearest(found, words.iter().copied()) {
        return format!("unknown identity `{found}`; did you mean `{word}`?");
    }
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let words = words.join(", ");
    format!("unknown identity `{found}`; expected {words} or an expression, as in `by = user.id`")
}

fn string(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Some(literal),
        _ => None,
    }
}
