//! Writes the value that a refused call returns.

use super::arguments::Named;
use super::output::nameable;
use super::spans::{ends, is_nameable};
use super::{afterwards, as_a_block, target};
use crate::item::{Item, names};
use crate::model::Model;
use proc_macro2::{Group, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, GenericArgument, PathArguments, PathSegment, Type, parse_quote};

/// Writes the conversion of a rejection into the return value. For a function that returns nothing, writes the rejection into one
/// of the `targets`.
pub(super) fn reject(model: &Model, returned: Option<&Type>, item: &Item, targets: &[Named]) -> TokenStream {
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
        return target::written(
            model,
            targets,
            returned.map_or_else(|| item.span(), Spanned::span),
            may_be_of_a_trait(item),
        );
    }
    if let Some(error) = returned.and_then(|returned| generic_error(returned, item)) {
        // The compiler then suggests this bound, and not the bound on a trait of this library.
        let from =
            quote_spanned!(at=> <#error as ::core::convert::From<#runtime::Rejection>>::from(__rejection));
        return quote_spanned!(at=> ::core::result::Result::Err(#from));
    }
    let advice = advice(returned, item);
    let shape = returned.and_then(|returned| shape(returned, advice, serves_requests(item)));
    let returned = nameable(returned, item.span());
    let way = shape.map(|shape| {
        quote_spanned! {at=>
            {
                #[allow(unused_imports)]
                use #runtime::__private::ProbeRefusal as _;
                (&&&&&&&&&#runtime::__private::ReturnOf::<#shape>::new()).__ratelimit_refusal()
            }
        }
    });
    match advice {
        Advice::Response => {
            let way = way.unwrap_or_else(|| quote_spanned!(at=> #runtime::__private::AsError));
            quote_spanned!(at=> <#returned as #runtime::__private::ResponseOrRejection<_>>::of_rejection(#way, __rejection))
        }
        Advice::Error => {
            quote_spanned!(at=> <#returned as #runtime::__private::TupleOrRejection>::of_rejection(__rejection))
        }
        Advice::Method => {
            quote_spanned!(at=> <#returned as #runtime::__private::MethodOrRejection>::of_rejection(__rejection))
        }
        Advice::General => {
            let rejection = way.map_or_else(
                || quote_spanned!(at=> __rejection),
                |way| quote_spanned!(at=> #way.hidden(__rejection)),
            );
            quote_spanned!(at=> <#returned as #runtime::FromRejection>::from_rejection(#rejection))
        }
    }
}

/// The advice in the error message about a return type that cannot report a refusal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Advice {
    /// For a `Result` with a response.
    Response,
    /// For a `Result` whose error is a tuple, or is opaque, so that the user cannot implement `From` for it.
    Error,
    /// For a plain value of a method that may belong to a trait, whose return type the user cannot change.
    Method,
    General,
}

fn advice(returned: Option<&Type>, item: &Item) -> Advice {
    let Some((first, error)) = returned.and_then(of_result) else {
        return if may_be_of_a_trait(item) { Advice::Method } else { Advice::General };
    };
    let is = |words: &[&str]| {
        first.and_then(last_segment).is_some_and(|last| words.iter().any(|word| last.ident == word))
    };
    match error {
        Some(Type::Tuple(_) | Type::ImplTrait(_)) => Advice::Error,
        Some(error) if last_segment(error).is_some_and(|last| last.ident == "Infallible") => Advice::Response,
        _ if is(&["Response", "HttpResponse"]) => Advice::Response,
        _ => Advice::General,
    }
}

/// Whether a trait may declare the function: it is a method, and it does not say who may call it.
pub(super) fn may_be_of_a_trait(item: &Item) -> bool {
    item.signature.receiver().is_some() && matches!(item.visibility, syn::Visibility::Inherited)
}

/// The first two types in a `Result`, or in an alias that ends with this word. `None` for another type.
fn of_result(returned: &Type) -> Option<(Option<&Type>, Option<&Type>)> {
    let last = last_segment(returned).filter(|last| last.ident.to_string().ends_with("Result"))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Some((None, None)) };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(found) => Some(found),
        _ => None,
    });
    Some((types.next(), types.next()))
}

/// The error of a `Result`, if it is a type parameter, or an associated type of one.
fn generic_error<'r>(returned: &'r Type, item: &Item) -> Option<&'r Type> {
    let (first, error) = of_result(returned)?;
    let Type::Path(path) = error? else { return None };
    let is_response = first.and_then(last_segment).is_some_and(|last| last.ident == "Response");
    let parameter = &path.path.segments.first()?.ident;
    let mut parameters = names(&item.signature.generics).chain(item.block.iter().flatten());
    (path.qself.is_none() && !is_response && parameters.any(|known| known == parameter)).then_some(error?)
}

/// The return type, from which the compiler chooses how a refusal is reported. `None` if only `FromRejection` can do that. If the
/// compiler has to know the error only, `()` replaces the first type, which may be opaque.
fn shape(returned: &Type, advice: Advice, serves_requests: bool) -> Option<Type> {
    if advice == Advice::Response {
        return is_nameable(returned).then(|| returned.clone());
    }
    if advice != Advice::General || !serves_requests {
        return None;
    }
    let mut shape = returned.clone();
    let last = match &mut shape {
        Type::Path(path) => {
            path.path.segments.last_mut().filter(|last| last.ident.to_string().ends_with("Result"))?
        }
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return None };
    *arguments.args.first_mut()? = GenericArgument::Type(parse_quote!(()));
    is_nameable(&shape).then_some(shape)
}

/// Whether an argument is a request of HTTP or an event of Lambda, as far as the tokens show it.
fn serves_requests(item: &Item) -> bool {
    item.signature.inputs.iter().any(|argument| match argument {
        FnArg::Typed(argument) => last_segment(&argument.ty)
            .is_some_and(|last| last.ident == "Request" || last.ident == "LambdaEvent"),
        FnArg::Receiver(_) => false,
    })
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
