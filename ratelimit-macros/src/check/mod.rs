//! The rules: what the arguments mean, and every way in which they can be wrong.

mod afterwards;
mod algorithm;
mod condition;
mod identity;
mod lease;
mod limit;
mod number;
mod stack;
mod word;

use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::key::Template;
use crate::model::{Member, Model, OnError};
use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, LitStr, Path, parse_quote_spanned};

/// What the attributes of this function mean, the topmost first. Meaningless where errors were found.
pub(crate) fn check(first: &Arguments, others: &[Arguments], item: &Item, errors: &mut Errors) -> Model {
    let mut members = vec![member(first, item, errors)];
    let runtime = runtime(first, errors);
    members.extend(others.iter().map(|arguments| member(arguments, item, errors)));
    stack::check(first, others, &members, errors);
    Model {
        runtime,
        members,
        on_limit: first.value("on_limit").cloned(),
        on_error: on_error(first, errors),
        limiter: first.value("limiter").cloned(),
    }
}

fn member(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Member {
    let limit = limit::limit(arguments, item, errors);
    Member {
        key: key(arguments, item, errors),
        by: identity::by(arguments, item, errors),
        cost: limit::cost(arguments, &limit, errors),
        afterwards: afterwards::afterwards(arguments, &limit, errors),
        skip_if: condition::skip_if(arguments, errors),
        shadow: condition::shadow(arguments, errors),
        limit,
    }
}

/// What other libraries call the failure policies.
const FOREIGN_POLICIES: word::Foreign = &[
    (&["open", "fail_open", "ignore", "pass", "skip", "accept", "true"], "is called `allow`"),
    (&["closed", "fail_closed", "block", "reject", "refuse", "error", "false"], "is called `deny`"),
    (&["memory", "in_memory", "fallback", "degrade"], "is called `local`"),
];

fn on_error(arguments: &Arguments, errors: &mut Errors) -> Option<OnError> {
    let words = ["local", "allow", "deny"];
    match word::word("on_error", &words, FOREIGN_POLICIES, arguments, errors)?.as_str() {
        "allow" => Some(OnError::Allow),
        "deny" => Some(OnError::Deny),
        _ => Some(OnError::Local),
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
                    let place = item.place(literal.span());
                    errors.at(place, format!("`{{{}}}` in `key` {wrong}", hole.text));
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

fn string(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Some(literal),
        _ => None,
    }
}
