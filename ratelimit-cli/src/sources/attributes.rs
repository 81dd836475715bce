//! Finds the limits among the attributes of one function or block.

use super::conditions::{self, Conditional, expanded, needs_test};
use super::found::Scope;
use super::imports::Imports;
use proc_macro2::TokenStream;
use ratelimit_syntax::args::Arguments;
use ratelimit_syntax::errors::Errors;
use ratelimit_syntax::neighbors::may_read_names;
use syn::spanned::Spanned as _;
use syn::{Attribute, Meta};

/// Attributes of a function that can exist together. Attributes with different conditions may exclude each other. So each
/// condition has its own variant, which also contains the attributes without a condition.
pub(super) struct Variant {
    /// The arguments of the topmost limit.
    pub(super) arguments: TokenStream,
    /// The attributes without the topmost limit.
    pub(super) others: Vec<Attribute>,
    /// Whether an attribute above the limits may rewrite the signature before the limits read it.
    pub(super) may_be_rewritten: bool,
    /// All limits, the topmost first.
    pub(super) limits: Vec<LimitAttribute>,
}

/// One limit among the attributes.
#[derive(Clone)]
pub(super) struct LimitAttribute {
    pub(super) line: usize,
    pub(super) condition: Option<String>,
    /// The position among all attributes.
    pub(super) at: usize,
}

/// One variant for each condition. Empty if no attribute is a limit.
pub(super) fn variants(attributes: &[Attribute], imports: &Imports<'_>, scope: Scope) -> Vec<Variant> {
    let mut all = expanded(attributes);
    all.retain(|found| {
        let for_tests = found.condition.as_deref().is_some_and(needs_test);
        !imports.are_for(found.attribute.path()) || scope == Scope::All || !for_tests
    });
    let limits = || all.iter().filter(|found| imports.are_for(found.attribute.path()));
    let mut of_limits: Vec<Option<&str>> = limits().map(|found| found.condition.as_deref()).collect();
    of_limits.sort_unstable();
    of_limits.dedup();
    if of_limits.len() > 1 {
        of_limits.retain(Option::is_some);
    }
    of_limits.into_iter().filter_map(|condition| variant(&all, condition, imports)).collect()
}

fn variant(all: &[Conditional], condition: Option<&str>, imports: &Imports<'_>) -> Option<Variant> {
    let (mut others, mut limits, mut arguments) = (Vec::new(), Vec::new(), None);
    let mut above = 0;
    for (at, found) in all.iter().enumerate() {
        let attribute = &found.attribute;
        if !imports.are_for(attribute.path()) {
            others.push(attribute.clone());
        } else if found.condition.is_none() || found.condition.as_deref() == condition {
            if arguments.is_none() {
                above = others.len();
            }
            let line = attribute.path().span().start().line;
            limits.push(LimitAttribute { line, condition: found.condition.clone(), at });
            match &attribute.meta {
                Meta::Path(_) if arguments.is_none() => arguments = Some(TokenStream::new()),
                Meta::List(list) if arguments.is_none() => arguments = Some(list.tokens.clone()),
                _ => others.push(attribute.clone()),
            }
        }
    }
    let may_be_rewritten = may_read_names(&others[..above]);
    Some(Variant { arguments: arguments?, others, may_be_rewritten, limits })
}

/// Whether a method of an annotated block has `#[rate_limit(skip)]`.
pub(super) fn skips(attributes: &[Attribute], imports: &Imports<'_>) -> bool {
    let mut limits = expanded(attributes).into_iter().filter(|found| imports.are_for(found.attribute.path()));
    limits.any(|found| Arguments::of(found.attribute, &mut Errors::default()).skip.is_some())
}

/// The condition of a limit: the conditions of the items around it, and of the attribute. `None` if there are no conditions.
pub(super) fn condition(around: &[String], own: Option<&String>) -> Option<String> {
    conditions::joined(around.iter().chain(own).cloned())
}
