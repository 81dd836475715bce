//! Judges the other attributes of a function or block: whether they may read the names of arguments.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Token};

/// Attributes that read no name of an argument: those of the compiler, and those of frameworks that only look at types.
const HARMLESS: [&str; 34] = [
    "allow",
    "async_trait",
    "automatically_derived",
    "cfg",
    "cold",
    "connect",
    "debug_handler",
    "debug_middleware",
    "delete",
    "deny",
    "deprecated",
    "diagnostic",
    "doc",
    "expect",
    "export_name",
    "forbid",
    "get",
    "head",
    "inline",
    "must_use",
    "no_mangle",
    "optimize",
    "options",
    "patch",
    "post",
    "put",
    "route",
    "routes",
    "should_panic",
    "target_feature",
    "test",
    "trace",
    "track_caller",
    "warn",
];

/// Tools of the compiler, whose attributes have their name in front.
const TOOLS: [&str; 4] = ["clippy", "diagnostic", "rust_analyzer", "rustfmt"];

/// Whether another attribute may read the names in the patterns of arguments, so that the names must stay. An unknown attribute
/// may: the names can be those of a web API or of the fields of a span.
pub fn may_read_names(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| reads(&attribute.meta))
}

fn reads(meta: &Meta) -> bool {
    if meta.path().is_ident("cfg_attr")
        && let Meta::List(list) = meta
    {
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        // The first part is the condition.
        return parts.map_or(true, |parts| parts.iter().skip(1).any(reads));
    }
    !is_harmless(meta.path())
}

fn is_harmless(path: &Path) -> bool {
    let word = |segment: Option<&syn::PathSegment>, words: &[&str]| {
        segment.is_some_and(|segment| words.iter().any(|word| segment.ident == word))
    };
    let of_a_tool = path.segments.len() > 1 && word(path.segments.first(), &TOOLS);
    of_a_tool || word(path.segments.last(), &HARMLESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn unknown_attributes_may_read_names() {
        let reads = |attribute: Attribute| may_read_names(&[attribute]);
        for attribute in [
            parse_quote!(#[oai(path = "/hello", method = "get")]),
            parse_quote!(#[OpenApi]),
            parse_quote!(#[instrument]),
            parse_quote!(#[tracing::instrument(skip_all)]),
            parse_quote!(#[utoipa::path(get)]),
            parse_quote!(#[cfg_attr(feature = "trace", inline, instrument)]),
        ] {
            assert!(reads(attribute));
        }
        for attribute in [
            parse_quote!(#[doc = "Says hello."]),
            parse_quote!(#[get("/hello")]),
            parse_quote!(#[actix_web::post("/hello")]),
            parse_quote!(#[axum::debug_handler]),
            parse_quote!(#[tonic::async_trait]),
            parse_quote!(#[clippy::msrv = "1.88"]),
            parse_quote!(#[cfg_attr(all(), allow(unused_variables), must_use)]),
        ] {
            assert!(!reads(attribute));
        }
    }
}
