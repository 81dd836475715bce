//! Conditions of the compiler: `#[cfg(..)]`, and attributes inside of `#[cfg_attr(..)]`.

use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// An attribute with the condition under which it exists.
#[derive(Clone)]
pub(super) struct Conditional {
    pub(super) attribute: Attribute,
    pub(super) condition: Option<String>,
}

/// The attributes, and the attributes inside of `#[cfg_attr(..)]`. Attributes whose condition is never true are left out.
pub(super) fn expanded(attributes: &[Attribute]) -> Vec<Conditional> {
    let mut all = Vec::new();
    for attribute in attributes {
        expand(attribute.clone(), None, &mut all);
    }
    all
}

fn expand(attribute: Attribute, condition: Option<String>, all: &mut Vec<Conditional>) {
    let parts = match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()
        }
        _ => None,
    };
    let Some(parts) = parts else {
        return all.push(Conditional { attribute, condition });
    };
    let mut parts = parts.into_iter();
    let Some(own) = parts.next() else { return };
    let own = spaced(&own.to_token_stream().to_string());
    if is_never(&own) {
        return;
    }
    let own = (!is_always(&own)).then_some(own);
    let condition = joined(condition.into_iter().chain(own));
    for meta in parts {
        expand(Attribute { meta, ..attribute.clone() }, condition.clone(), all);
    }
}

/// The conditions of an item's `#[cfg(..)]`.
pub(super) fn of_item(attributes: &[Attribute]) -> Vec<String> {
    let conditions = expanded(attributes).into_iter().filter_map(|found| match &found.attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(spaced(&list.tokens.to_string())),
        _ => None,
    });
    conditions.filter(|condition| !is_always(condition)).collect()
}

/// Joins conditions into one that is true if all of them are true.
pub(super) fn joined(conditions: impl Iterator<Item = String>) -> Option<String> {
    let mut conditions: Vec<String> = conditions.collect();
    conditions.dedup();
    match conditions.len() {
        0 => None,
        1 => conditions.pop(),
        _ => Some(format!("all({})", conditions.join(", "))),
    }
}

/// Whether a condition is true in tests only.
pub(crate) fn needs_test(condition: &str) -> bool {
    syn::parse_str(condition).is_ok_and(|meta| meta_needs_test(&meta))
}

fn meta_needs_test(meta: &Meta) -> bool {
    let parts = || match meta {
        Meta::List(list) => list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok(),
        _ => None,
    };
    if meta.path().is_ident("all") {
        return parts().is_some_and(|parts| parts.iter().any(meta_needs_test));
    }
    if meta.path().is_ident("any") {
        return parts().is_some_and(|parts| !parts.is_empty() && parts.iter().all(meta_needs_test));
    }
    matches!(meta, Meta::Path(path) if path.is_ident("test"))
}

pub(super) fn is_never(condition: &str) -> bool {
    matches!(condition, "any()" | "false" | "not(all())")
}

fn is_always(condition: &str) -> bool {
    matches!(condition, "all()" | "true" | "not(any())")
}

/// The text of tokens without the spaces around brackets.
fn spaced(tokens: &str) -> String {
    tokens.replace(" (", "(").replace("( ", "(").replace(" )", ")").replace(" ,", ",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::describe::text;
    use syn::parse_quote;

    #[test]
    fn conditions_of_tests_are_known() {
        for condition in ["test", "all(unix, test)", "any(test, all(test, windows))"] {
            assert!(needs_test(condition), "{condition}");
        }
        for condition in ["not(test)", "any(test, unix)", "any()", "feature = \"test\"", "unix"] {
            assert!(!needs_test(condition), "{condition}");
        }
    }

    #[test]
    fn attributes_inside_of_conditions_are_found() {
        let all = expanded(&[
            parse_quote!(#[inline]),
            parse_quote!(#[cfg_attr(unix, cfg_attr(test, a, b), c)]),
            parse_quote!(#[cfg_attr(any(), never)]),
            parse_quote!(#[cfg_attr(all(), always)]),
        ]);
        let all: Vec<_> = all
            .iter()
            .map(|found| (text(found.attribute.path()), found.condition.clone().unwrap_or_default()))
            .collect();
        let expected = [
            ("inline", ""),
            ("a", "all(unix, test)"),
            ("b", "all(unix, test)"),
            ("c", "unix"),
            ("always", ""),
        ];
        assert_eq!(all, expected.map(|(name, condition)| (name.to_owned(), condition.to_owned())));
        let conditions =
            of_item(&[parse_quote!(#[cfg(all(unix, feature = "x"))]), parse_quote!(#[cfg(all())])]);
        assert_eq!(conditions, ["all(unix, feature = \"x\")"]);
    }
}
