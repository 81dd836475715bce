//! Rewrites return types: to types that hold permits until the body of the response ends, and to types that can report a refusal.

use crate::future::output_mut;
use crate::item::Item;
use crate::model::{Model, Runtime};
use proc_macro2::Span;
use syn::{
    GenericArgument, Path, PathArguments, ReturnType, Type, TypeParamBound, parse_quote, parse_quote_spanned,
};

/// The return type in a form for a place where the type must be named.
pub(super) fn nameable(returned: Option<&Type>, function: Span) -> Type {
    // If the user wrote no return type, an error about it has its caret under the function's name.
    let unit = || parse_quote_spanned!(function=> ());
    let mut returned = returned.cloned().unwrap_or_else(unit);
    erase_opaque(&mut returned);
    returned
}

/// Replaces each `impl Trait`, which cannot be named, by `_`. Also replaces each macro, because it may contain an `impl Trait`
/// (such as rocket's `EventStream![]`). It does not use syn's visitor, which would slow down the build of every user.
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

/// Whether the expansion wraps the result in a `Result`: because of `fallible`, or because a rejection cannot become an `impl
/// Trait`.
pub(super) fn is_widened(model: &Model, result: Option<&Type>) -> bool {
    model.fallible || matches!(result, Some(Type::ImplTrait(_))) && model.widens()
}

/// Turns `-> T` into `-> Result<T, Rejection>`, for the function or for the future that it returns.
pub(super) fn widen(item: &mut Item, runtime: &Runtime) {
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

/// The type of the body's result, in which the stream does not yet hold permits. `None` if the function has no return type.
pub(super) fn type_of_body(model: &Model, returned: Option<&Type>) -> Option<Type> {
    let mut returned = returned.cloned();
    if let Some(stream) = returned.as_mut().filter(|_| model.outlives()).and_then(declared_stream) {
        let runtime = &model.runtime;
        *stream = parse_quote!(<#stream as #runtime::__private::HoldStream>::Stream);
    }
    returned
}

/// Finds the stream in `Result<Response<Self::ListStream>, Status>`.
pub(super) fn declared_stream(returned: &mut Type) -> Option<&mut Type> {
    let stream = first_argument(first_argument(returned, "Result")?, "Response")?;
    let Type::Path(path) = &*stream else { return None };
    let is_declared = path.path.segments.len() == 2 && path.path.segments[0].ident == "Self";
    (is_declared || path.qself.is_some()).then_some(stream)
}

fn first_argument<'t>(of: &'t mut Type, name: &str) -> Option<&'t mut Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last_mut().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return None };
    match arguments.args.first_mut()? {
        GenericArgument::Type(first) => Some(first),
        _ => None,
    }
}

/// Whether a function returns `impl Stream`, also in a `Result` or an `Option`. Such a stream can be wrapped without a change of
/// the return type.
pub(super) fn is_opaque_stream(returned: &Type) -> bool {
    match returned {
        Type::Group(group) => is_opaque_stream(&group.elem),
        Type::Paren(paren) => is_opaque_stream(&paren.elem),
        Type::ImplTrait(opaque) => opaque.bounds.iter().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|last| last.ident == "Stream")
            }
            _ => false,
        }),
        _ => in_result(returned).is_some_and(is_opaque_stream),
    }
}

/// The type in a `Result` or an `Option`.
pub(super) fn in_result(returned: &Type) -> Option<&Type> {
    let Type::Path(path) = returned else { return None };
    let last = path.path.segments.last()?;
    let wraps = last.ident == "Option" || last.ident.to_string().ends_with("Result");
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(first)) if wraps => Some(first),
        _ => None,
    }
}

/// Wraps the type of a response that cannot store permits by itself.
pub(super) fn rewrite(model: &Model, output: &mut ReturnType) {
    if let ReturnType::Type(_, returned) = output
        && model.outlives()
    {
        wrap(returned, &model.runtime);
    }
}

/// Like `rewrite`, for a function that returns a future. Returns the type of the future's result, if it is known.
pub(super) fn rewrite_future(model: &Model, output: &mut ReturnType) -> Option<Type> {
    let ReturnType::Type(_, future) = output else { return None };
    let returned = output_mut(future)?;
    if model.outlives() {
        wrap(returned, &model.runtime);
    }
    Some(returned.clone())
}

/// The responses that cannot store permits by themselves: one of axum, and those of rocket, which has a macro of the same name
/// for each stream.
const WRAPPED: [&str; 6] = ["Sse", "ByteStream", "EventStream", "NamedFile", "ReaderStream", "TextStream"];

/// Wraps `Sse<..>`, also in a `Result` or at the end of a tuple.
fn wrap(returned: &mut Type, runtime: &Runtime) {
    match returned {
        Type::Group(group) => wrap(&mut group.elem, runtime),
        Type::Paren(paren) => wrap(&mut paren.elem, runtime),
        Type::Tuple(tuple) => tuple.elems.iter_mut().last().into_iter().for_each(|last| wrap(last, runtime)),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last_mut() else { return };
            if WRAPPED.iter().any(|wrapped| last.ident == wrapped) {
                *returned = parse_quote!(#runtime::body::Holding<#returned>);
            } else if let PathArguments::AngleBracketed(arguments) = &mut last.arguments
                && let Some(GenericArgument::Type(first)) = arguments.args.first_mut()
            {
                wrap(first, runtime);
            }
        }
        Type::Macro(of_macro) => {
            let last = of_macro.mac.path.segments.last();
            if last.is_some_and(|last| WRAPPED.iter().any(|wrapped| last.ident == wrapped)) {
                *returned = parse_quote!(#runtime::body::Holding<#returned>);
            }
        }
        _ => {}
    }
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
