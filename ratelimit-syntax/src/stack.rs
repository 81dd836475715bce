//! Collects several limits of one function: the topmost attribute takes the others, so that they are decided
//! together.

use crate::args::Arguments;
use crate::async_trait::is_word;
use crate::errors::Errors;
use proc_macro2::{Group, Span, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, Path};

/// The error for a limit whose name an attribute above does not recognize.
pub const NOT_RECOGNIZED: &str = "an attribute above has already limited this function, and does not recognize this one under its name: write both as `#[rate_limit(..)]`, so that they are decided together";

/// Removes the other limits from the function or block, and reports a limit that an attribute above has already
/// expanded.
pub fn collect(
    first: &Arguments,
    attributes: &mut Vec<Attribute>,
    body: &Group,
    errors: &mut Errors,
) -> Vec<Arguments> {
    if is_guarded(body) {
        errors.at(Span::call_site(), NOT_RECOGNIZED);
    }
    let limits = take(first, attributes);
    limits.into_iter().map(|attribute| Arguments::of(attribute, errors)).collect()
}

/// Removes and returns the limits that the topmost attribute recognizes.
pub fn take(first: &Arguments, attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    let runtime = first.value("crate");
    let all = std::mem::take(attributes).into_iter();
    let (limits, others) = all.partition(|attribute| is_limit(attribute.path(), runtime));
    *attributes = others;
    limits
}

/// Whether a path is `rate_limit`, alone, in a crate called `ratelimit`, or in the crate given by `crate`.
fn is_limit(path: &Path, runtime: Option<&Expr>) -> bool {
    let mut parents: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let name = parents.pop();
    let named = |runtime: &Expr| {
        let runtime = runtime.to_token_stream().to_string().replace(' ', "");
        runtime.trim_start_matches("::") == parents.join("::")
    };
    name.is_some_and(|name| name == "rate_limit")
        && (parents.last().is_none_or(|parent| parent == "ratelimit") || runtime.is_some_and(named))
}

/// Whether another attribute, under any name, has already put its guard into this body.
fn is_guarded(body: &Group) -> bool {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let starts = |word: &TokenTree| is_word(word, "Call") || is_word(word, "Check");
    let call = |path: &[TokenTree]| is_word(&path[0], "__private") && starts(&path[3]);
    tokens.windows(4).any(call)
        || tokens.iter().any(|token| matches!(token, TokenTree::Group(group) if is_guarded(group)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_known_by_their_path() {
        let runtime: Expr = syn::parse_str("::my::limits").unwrap();
        let known = |path: &str, runtime| is_limit(&syn::parse_str(path).unwrap(), runtime);
        for path in
            ["rate_limit", "ratelimit::rate_limit", "::ratelimit::rate_limit", "my::ratelimit::rate_limit"]
        {
            assert!(known(path, None), "{path}");
        }
        assert!(known("my::limits::rate_limit", Some(&runtime)));
        for path in ["limited", "my::limits::rate_limit", "rate_limit::of_another_crate"] {
            assert!(!known(path, None), "{path}");
        }
        assert!(!known("your::limits::rate_limit", Some(&runtime)));
    }
}
