//! Writes the value that a refused call returns.

use super::arguments::Named;
use super::output::nameable;
use super::spans::ends;
use super::{afterwards, as_a_block, target};
use crate::model::Model;
use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Writes the conversion of a rejection into the return value. For a function that returns nothing, writes the rejection into one
/// of the `targets`.
pub(super) fn reject(
    model: &Model,
    returned: Option<&Type>,
    function: Span,
    targets: &[Named],
) -> TokenStream {
    let runtime = &model.runtime;
    let at = Span::mixed_site();
    if let Some(on_limit) = &model.on_limit {
        // All tokens have spans of the user's value, so that the compiler's caret is under it.
        let (first, last) = ends(on_limit);
        let runtime = runtime.at(first);
        let arguments = quote_spanned!(last=> (#on_limit, __rejection));
        return quote_spanned!(first=> #runtime::__private::on_limit #arguments);
    }
    if target::is_unit(returned) {
        return target::written(model, targets, returned.map_or(function, Spanned::span));
    }
    let advised = returned.and_then(advised).map(|advised| Ident::new(advised, at));
    let returned = nameable(returned, function);
    if let Some(advised) = advised {
        return quote_spanned!(at=> <#returned as #runtime::__private::#advised>::of_rejection(__rejection));
    }
    quote_spanned!(at=> <#returned as #runtime::FromRejection>::from_rejection(__rejection))
}

/// The name of the trait whose error message has advice for this return type. `None` if only the general advice fits.
fn advised(returned: &Type) -> Option<&'static str> {
    let last = last_segment(returned).filter(|last| last.ident.to_string().ends_with("Result"))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(found) => Some(found),
        _ => None,
    });
    let is = |found: &Type, words: &[&str]| {
        last_segment(found).is_some_and(|last| words.iter().any(|word| last.ident == word))
    };
    match (types.next()?, types.next()) {
        (_, Some(Type::Tuple(error)))
            if error.elems.first().is_some_and(|first| is(first, &["Status", "StatusCode"])) =>
        {
            Some("TupleOrRejection")
        }
        (response, _) if is(response, &["Response", "HttpResponse"]) => Some("ResponseOrRejection"),
        _ => None,
    }
}

fn last_segment(found: &Type) -> Option<&PathSegment> {
    match found {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// For a function whose result is wrapped in a `Result`, writes the value that a refused call returns, and the new body. The old
/// body becomes a separate block, because it may contain `return`.
pub(super) fn widened(
    body: &Group,
    result: Option<&Type>,
    function: Span,
    afterwards: &TokenStream,
    lent: &[Named],
) -> (TokenStream, TokenStream) {
    let at = Span::mixed_site();
    let value = quote!(async move #body.await);
    let body = match (result, afterwards.is_empty()) {
        (Some(Type::ImplTrait(_)), true) => quote!(::core::result::Result::Ok(#value)),
        (Some(Type::ImplTrait(_)), false) => {
            quote_spanned!(at=> let __result = #value; #afterwards ::core::result::Result::Ok(__result))
        }
        _ => {
            let result = afterwards::result(&as_a_block(body), &nameable(result, function), lent);
            quote_spanned!(at=> #result #afterwards ::core::result::Result::Ok(__result))
        }
    };
    (quote_spanned!(at=> ::core::result::Result::Err(__rejection)), body)
}
