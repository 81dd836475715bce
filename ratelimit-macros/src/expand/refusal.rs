//! Writes what a refused call returns.

use super::arguments::{Named, merged};
use super::output::nameable;
use super::spans::{ends, located};
use super::{afterwards, as_a_block};
use crate::model::Model;
use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Makes the return value of a rejection. A function without one writes the rejection into one of the `targets`.
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
        let runtime = located(runtime, first);
        let arguments = quote_spanned!(last=> (#on_limit, __rejection));
        return quote_spanned!(first=> #runtime::__private::on_limit #arguments);
    }
    if is_unit(returned) {
        return into_argument(model, targets, returned.map_or(function, Spanned::span));
    }
    let advised = returned.and_then(advised).map(|advised| Ident::new(advised, at));
    let returned = nameable(returned, function);
    if let Some(advised) = advised {
        return quote_spanned!(at=> <#returned as #runtime::__private::#advised>::of_rejection(__rejection));
    }
    quote_spanned!(at=> <#returned as #runtime::FromRejection>::from_rejection(__rejection))
}

/// The trait with the advice for a return type, if there is better advice than that for any type.
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
        _ => None,
    }
}

/// Writes what a refused call of such a function returns, and its new body. The body is a block of its own, because
/// it may contain `return`.
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

/// Writes code that finds the argument by its type, among those of type `&mut _`, and writes the rejection into it. An error has
/// its caret at `place`.
fn into_argument(model: &Model, names: &[Named], place: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(place);
    let (runtime, target) = (located(&model.runtime, at), target(names, at));
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{FoundTarget, MergeTarget, Nothing, ProbeTarget as _, Target};
            #[allow(clippy::used_underscore_binding)]
            FoundTarget::reject(#target, __rejection);
        }
    }
}

/// Writes code that finds the argument by its type, and holds `lasting` in its body if the `result` is not an error.
pub(super) fn holding(
    model: &Model,
    names: &[Named],
    returned: Option<&Type>,
    function: Span,
) -> TokenStream {
    let at = Span::mixed_site().located_at(returned.map_or(function, Spanned::span));
    let (runtime, target) = (located(&model.runtime, at), target(names, at));
    quote_spanned! {at=>
        if #runtime::__private::Written::is_written(&__result) {
            #[allow(unused_imports)]
            use #runtime::__private::{FoundBody, MergeTarget, Nothing, ProbeTarget as _, Target};
            #[allow(clippy::used_underscore_binding)]
            FoundBody::hold(#target, __held);
        }
    }
}

fn target(names: &[Named], at: Span) -> TokenStream {
    let merge = Ident::new("MergeTarget", at);
    merged(&merge, quote_spanned!(at=> Nothing), names.iter(), |Named { name, .. }| {
        Some(quote_spanned!(at=> Target(&mut *#name).__ratelimit_probe_target()))
    })
}

/// Lends the arguments to the body, so that they are still there when it has returned.
pub(super) fn lent(names: &[Named]) -> TokenStream {
    let at = Span::mixed_site();
    let lent = names.iter().map(|Named { name, conditions, .. }| {
        quote_spanned! {at=>
            #(#conditions)*
            #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
            let mut #name = &mut *#name;
        }
    });
    lent.collect()
}

/// Whether the response of a function is in an argument, as far as its tokens say it: it returns `()`, or `Result<(), E>`.
pub(super) fn is_in_argument(returned: Option<&Type>) -> bool {
    let Some(Type::Path(path)) = returned else { return is_unit(returned) };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    matches!(arguments.args.first(), Some(GenericArgument::Type(first)) if is_unit(Some(first)))
}

/// Whether a function returns nothing, as far as its tokens say it.
pub(super) fn is_unit(returned: Option<&Type>) -> bool {
    match returned {
        None => true,
        Some(Type::Tuple(tuple)) => tuple.elems.is_empty(),
        Some(_) => false,
    }
}
