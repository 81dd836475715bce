//! Examines the other attributes of a function or block: whether they may read the names of arguments, make the function an
//! endpoint, or cache its results.

use proc_macro2::{Ident, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, PathSegment, Token};

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

/// Tools of the compiler. An attribute of a tool begins with the tool's name.
const TOOLS: [&str; 4] = ["clippy", "diagnostic", "rust_analyzer", "rustfmt"];

/// Whether another attribute may read the names in the patterns of arguments. Then the names must stay. An unknown attribute may
/// read names, for example as the names of a web API or of the fields of a span.
pub fn may_read_names(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| reads(&attribute.meta))
}

fn reads(meta: &Meta) -> bool {
    conditional(meta).map_or_else(|| !is_harmless(meta.path()), |parts| parts.iter().any(reads))
}

/// The attributes inside of a `cfg_attr`. `None` for any other attribute.
fn conditional(meta: &Meta) -> Option<Vec<Meta>> {
    let Meta::List(list) = meta else { return None };
    let parts = || list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok();
    // The first part is the condition.
    list.path.is_ident("cfg_attr").then(|| parts().into_iter().flatten().skip(1).collect())
}

fn is_harmless(path: &Path) -> bool {
    let of_a_tool = path.segments.len() > 1 && is_word(path.segments.first(), &TOOLS);
    of_a_tool || is_word(path.segments.last(), &HARMLESS)
}

fn is_word(segment: Option<&PathSegment>, words: &[&str]) -> bool {
    segment.is_some_and(|segment| words.iter().any(|word| segment.ident == word))
}

/// Attributes that make an endpoint of a function.
const ENDPOINTS: [&str; 8] =
    ["debug_handler", "debug_middleware", "endpoint", "handler", "oai", "openapi", "routes", "server"];

/// Attributes that make an endpoint of a function if their first argument is the path of a URL. Without it, they may belong to
/// other crates.
const ROUTES: [&str; 10] =
    ["connect", "delete", "get", "head", "options", "patch", "post", "put", "route", "trace"];

/// Whether another attribute makes the function an endpoint, which has many callers.
pub fn make_an_endpoint(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| makes_an_endpoint(&attribute.meta))
}

fn makes_an_endpoint(meta: &Meta) -> bool {
    if let Some(parts) = conditional(meta) {
        return parts.iter().any(makes_an_endpoint);
    }
    let last = meta.path().segments.last();
    let Meta::List(arguments) = meta else { return is_word(last, &ENDPOINTS) };
    let first = arguments.tokens.clone().into_iter().next();
    let has_url = matches!(&first, Some(TokenTree::Literal(url)) if url.to_string().starts_with("\"/"));
    // `path` is the attribute of utoipa.
    is_word(last, &ENDPOINTS) || is_word(last, &["path"]) || has_url && is_word(last, &ROUTES)
}

/// Attributes that store the result of a function.
const CACHES: [&str; 5] = ["cached", "concurrent_cached", "io_cached", "memoize", "once"];

/// The name of an attribute that stores the results of the function. `None` if there is no such attribute.
pub fn cache(attributes: &[Attribute]) -> Option<Ident> {
    attributes.iter().find_map(|attribute| caches(&attribute.meta))
}

fn caches(meta: &Meta) -> Option<Ident> {
    if let Some(parts) = conditional(meta) {
        return parts.iter().find_map(caches);
    }
    let last = meta.path().segments.last().filter(|last| is_word(Some(last), &CACHES));
    last.map(|last| last.ident.clone())
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

    #[test]
    fn routers_make_endpoints() {
        for attribute in [
            parse_quote!(#[get("/hello")]),
            parse_quote!(#[actix_web::route("/hello", method = "GET")]),
            parse_quote!(#[handler]),
            parse_quote!(#[server(prefix = "/api")]),
            parse_quote!(#[oai(path = "/hello", method = "get")]),
            parse_quote!(#[utoipa::path(get, path = "/hello")]),
            parse_quote!(#[cfg_attr(feature = "ssr", server)]),
        ] {
            assert!(make_an_endpoint(&[attribute]));
        }
        for attribute in [
            parse_quote!(#[get]),
            parse_quote!(#[trace(name = "hello")]),
            parse_quote!(#[path = "hello.rs"]),
            parse_quote!(#[test]),
            parse_quote!(#[tracing::instrument(skip_all)]),
        ] {
            assert!(!make_an_endpoint(&[attribute]));
        }
    }

    #[test]
    fn caches_are_known() {
        let name = |attribute: Attribute| cache(&[attribute]).map(|name| name.to_string());
        assert_eq!(name(parse_quote!(#[cached(time = 60)])).as_deref(), Some("cached"));
        assert_eq!(name(parse_quote!(#[cached::proc_macro::io_cached])).as_deref(), Some("io_cached"));
        assert_eq!(name(parse_quote!(#[cfg_attr(not(test), once)])).as_deref(), Some("once"));
        assert_eq!(name(parse_quote!(#[inline])), None);
    }
}
