//! Checks the arguments of a function's attributes, and turns them into a model.

mod afterwards;
mod algorithm;
mod block;
mod checker;
mod condition;
mod excludes;
mod fair;
mod fallible;
mod identity;
mod keep;
mod learn;
mod lease;
mod limit;
mod literal;
mod names;
mod number;
mod pause;
mod stack;
mod until;
mod word;

use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::key::Template;
use crate::model::{Member, Model, OnError, Runtime, request_parts};
use checker::Checker;
pub use fallible::OF_A_TRAIT as FALLIBLE_OF_A_TRAIT;
use literal::string;
use proc_macro2::Span;
use syn::{Expr, parse_quote_spanned};

/// Checks the attributes of a function: `first` is the topmost one. The model is meaningless if there are errors.
pub fn check(first: &Arguments, others: &[Arguments], item: &Item, errors: &mut Errors) -> Model {
    let mut topmost = Checker { arguments: first, item, errors };
    let mut members = vec![topmost.member()];
    let (runtime, on_error, fallible) = (topmost.runtime(), topmost.on_error(), topmost.fallible());
    topmost.reply();
    members.extend(others.iter().map(|arguments| Checker { arguments, item, errors }.member()));
    names::tell_apart(first, others, &mut members, item, errors);
    stack::check(first, others, &members, errors);
    Model {
        runtime,
        request_parts: request_parts(&members),
        members,
        on_limit: first.value("on_limit").cloned(),
        fallible,
        on_error,
        limiter: first.value("limiter").cloned(),
    }
}

/// The names of the failure policies in other libraries.
const FOREIGN_POLICIES: word::Foreign = &[
    (&["open", "fail_open", "ignore", "pass", "skip", "accept", "true"], "is called `allow`"),
    (&["closed", "fail_closed", "block", "reject", "refuse", "error", "false"], "is called `deny`"),
    (&["memory", "in_memory", "fallback", "degrade"], "is called `local`"),
];

impl Checker<'_> {
    fn member(&mut self) -> Member {
        let before = self.errors.count();
        let limit = self.limit();
        self.check_exclusions(&limit);
        self.check_learn_elsewhere();
        if self.arguments.complete && self.errors.count() == before {
            self.check_blocks_callers();
        }
        Member {
            key: self.key(),
            time_in_name: None,
            by: self.by(),
            cost: self.cost(&limit),
            keep: self.keep(&limit),
            fair: self.fair(&limit),
            afterwards: self.afterwards(),
            pause_if: self.pause_if(&limit),
            until: self.until(&limit),
            skip_if: self.skip_if(),
            shadow: self.shadow(),
            limit,
        }
    }

    fn on_error(&mut self) -> Option<OnError> {
        match self.word("on_error", &["local", "allow", "deny"], FOREIGN_POLICIES)?.as_str() {
            "allow" => Some(OnError::Allow),
            "deny" => Some(OnError::Deny),
            _ => Some(OnError::Local),
        }
    }

    fn runtime(&mut self) -> Runtime {
        let default = parse_quote_spanned!(Span::mixed_site()=> ::ratelimit);
        Runtime(match self.value("crate") {
            None => default,
            Some(Expr::Path(path)) if path.qself.is_none() => path.path.clone(),
            Some(other) => {
                self.error(other, "`crate` must be a path, as in `crate = ::my::ratelimit`");
                default
            }
        })
    }

    fn key(&mut self) -> Option<Template> {
        let value = self.value("key")?;
        let Some(literal) = string(value) else {
            self.error(
                value,
                "`key` must be a string literal: write values as placeholders, as in `key = \"report:{id}\"`",
            );
            return None;
        };
        match Template::parse(literal) {
            Ok(template) => {
                for placeholder in &template.placeholders {
                    if let Some(wrong) = self.item.unknown_name(&placeholder.root) {
                        let place = self.item.place(literal.span());
                        self.error_at(place, format!("`{{{}}}` in `key` {wrong}", placeholder.text));
                    }
                }
                Some(template)
            }
            Err(messages) => {
                for message in messages {
                    self.error(literal, message);
                }
                None
            }
        }
    }
}
