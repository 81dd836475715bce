//! Writes what a refused call returns.

use super::arguments::Named;
use super::spans::{ends, located};
use super::{afterwards, as_a_block, target};
use crate::future::output_mut;
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    GenericArgument, Path, PathArguments, PathSegment, ReturnType, Type, TypeParamBound, parse_quote,
    parse_quote_spanned,
};

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

/// The return type, for a place where it must be named.
pub(super) fn nameable(returned: Option<&Type>, function: Span) -> Type {
    // An error about a return type that nobody wrote has its caret under the function's name.
    let unit = || parse_quote_spanned!(function=> ());
    let mut returned = returned.cloned().unwrap_or_else(unit);
    erase_opaque(&mut returned);
    returned
}

/// Replaces each `impl Trait`, which cannot be named, by `_`, and each macro, which may contain one (rocket's `EventStream![]`).
/// Written by hand, because syn's visitor would slow down the build of every user.
fn erase_opaque(returned: &mut Type) {
    match returned {
        Type::ImplTrait(_) | Type::Macro(_) => *returned = parse_quote!(_),
        Type::Array(array) => erase_opaque(&mut array.elem),
        Type::Group(group) => erase_opaque(&mut group.elem),
        Type::Paren(paren) => erase_opaque(&mut paren.elem),
        Type::Path(path) => {
            path.qself.iter_mut().for_each(|qself| erase_opaque(&mut qself.ty));
            erase_opaque_arguments(&mut path.path);
        }
        Type::Ptr(pointer) => erase_opaque(&mut pointer.elem),
        Type::Reference(reference) => erase_opaque(&mut reference.elem),
        Type::Slice(slice) => erase_opaque(&mut slice.elem),
        Type::TraitObject(object) => {
            for bound in &mut object.bounds {
                if let TypeParamBound::Trait(bound) = bound {
                    erase_opaque_arguments(&mut bound.path);
                }
            }
        }
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(erase_opaque),
        _ => {}
    }
}

fn erase_opaque_arguments(path: &mut Path) {
    for segment in &mut path.segments {
        let PathArguments::AngleBracketed(arguments) = &mut segment.arguments else { continue };
        for argument in &mut arguments.args {
            match argument {
                GenericArgument::Type(argument) => erase_opaque(argument),
                GenericArgument::AssocType(argument) => erase_opaque(&mut argument.ty),
                _ => {}
            }
        }
    }
}

/// Whether the function returns its result in a `Result`: as `fallible` says, or because a rejection cannot become an
/// `impl Trait`.
pub(super) fn is_widened(model: &Model, result: Option<&Type>) -> bool {
    model.fallible || matches!(result, Some(Type::ImplTrait(_))) && model.widens()
}

/// Turns `-> T` into `-> Result<T, Rejection>`, for the function or for the future that it returns.
pub(super) fn widen(item: &mut Item, runtime: &Path) {
    let is_async = item.signature.asyncness.is_some();
    let ReturnType::Type(_, output) = &mut item.signature.output else {
        item.signature.output = parse_quote!(-> ::core::result::Result<(), #runtime::Rejection>);
        return;
    };
    let output = if is_async { Some(&mut **output) } else { output_mut(output) };
    if let Some(output) = output {
        *output = parse_quote!(::core::result::Result<#output, #runtime::Rejection>);
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

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn opaque_types_are_erased_wherever_they_may_stand() {
        let function = Span::call_site();
        for (returned, named) in [
            ("impl A", "_"),
            ("Result<impl A, E>", "Result<_, E>"),
            ("(&[impl A], *const [impl B; 2], (impl C))", "(&[_], *const [_; 2], (_))"),
            (
                "a::B<Box<dyn Iterator<Item = impl C> + Send>>::D<impl E>",
                "a::B<Box<dyn Iterator<Item = _> + Send>>::D<_>",
            ),
            ("<(impl A, B) as C>::D", "<(_, B) as C>::D"),
            ("Option<fn(A) -> B>", "Option<fn(A) -> B>"),
        ] {
            let tokens = |text: &str| syn::parse_str::<Type>(text).unwrap().to_token_stream().to_string();
            let erased = nameable(Some(&syn::parse_str(returned).unwrap()), function);
            assert_eq!(erased.to_token_stream().to_string(), tokens(named));
        }
    }
}
