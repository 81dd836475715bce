//! Writes what lasts until the body of the response ends.

use super::arguments::Named;
use super::spans::{ends, located};
use super::{target, units};
use crate::future::output_mut;
use crate::item::Item;
use crate::model::{Afterwards, Model};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, GenericArgument, Pat, Path, PathArguments, ReturnType, Type, parse_quote};

/// Evaluates the functions of `settle` before the body, which may move what they copy.
pub(super) fn settles(model: &Model) -> TokenStream {
    let settles = settled(model).map(|(at, Afterwards { judge, .. })| {
        let (first, last) = ends(judge);
        let (there, name) = (located(&model.runtime, first), variable(at));
        let argument = quote_spanned!(last=> (#judge));
        let cost = quote_spanned!(first=> #there::__private::cost_on_end #argument);
        let runtime = &model.runtime;
        let units = units::written(runtime, judge, &quote_spanned!(Span::mixed_site()=> __cost(__sent)));
        quote_spanned! {Span::mixed_site()=>
            let __cost = #cost;
            let #name = #runtime::__private::settle_on_end(move |__sent| #units);
        }
    });
    settles.collect()
}

// Output:
//     let held = Admission::hold(__admission, &[0], [(0, settle0)]).await;
//     let result = HoldBody::hold(result, held);
// of `Result<Response<Self::ListStream>, Status>`:
//     let result = result.map(|response| response.map(|stream| <Self::ListStream as HoldStream>::hold(stream, held)));
/// Moves permits and charges into the response.
pub(super) fn held(model: &Model, returned: Option<&Type>, function: Span, targets: &[Named]) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let lasting = model.members.iter().enumerate().filter(|(_, member)| member.outlives());
    let lasting = lasting.map(|(position, _)| Literal::usize_unsuffixed(position));
    let settles = settled(model).map(|(position, _)| {
        let (position, name) = (Literal::usize_unsuffixed(position), variable(position));
        quote_spanned!(at=> (#position, #name))
    });
    let hold = if target::is_in_argument(returned) {
        target::holding(model, targets, returned, function)
    } else if let Some(stream) = returned.cloned().as_mut().and_then(declared_stream) {
        let there = located(runtime, at.located_at(stream.span()));
        quote_spanned!(at=> let __result = __result.map(|__response| {
            __response.map(|__stream| <#stream as #there::__private::HoldStream>::hold(__stream, __held))
        });)
    } else {
        // The compiler points at the return type if it has no body.
        let there = returned.map_or(at, |returned| at.located_at(returned.span()));
        let trait_path = located(runtime, there);
        let held = quote_spanned!(there=> #trait_path::body::HoldBody::hold(__result, __held));
        quote_spanned!(at=> let __result = #held;)
    };
    quote_spanned! {at=>
        let __held = #runtime::__private::Admission::hold(__admission, &[#(#lasting),*], [#(#settles),*]).await;
        #hold
    }
}

/// The arguments of which one may be the response that holds. They are lent to the body.
pub(super) fn targets(model: &Model, item: &mut Item, returned: Option<&Type>) -> Vec<Named> {
    if !model.outlives() || !target::is_in_argument(returned) {
        return Vec::new();
    }
    let targets = Named::exclusive(item);
    for argument in &mut item.signature.inputs {
        // The body changes the argument that it was lent.
        if let FnArg::Typed(argument) = argument
            && let Pat::Ident(pattern) = &mut *argument.pat
            && targets.iter().any(|target| target.name == pattern.ident)
        {
            pattern.mutability = None;
        }
    }
    targets
}

fn settled(model: &Model) -> impl Iterator<Item = (usize, &Afterwards)> {
    let lasting = model.members.iter().enumerate().filter(|(_, member)| member.outlives());
    lasting.filter_map(|(at, member)| Some((at, member.afterwards.as_ref()?)))
}

/// The variable of the function of `settle`.
fn variable(at: usize) -> Ident {
    format_ident!("__settle{at}", span = Span::mixed_site())
}

/// Returns the type of the body's result, whose stream does not hold yet.
pub(super) fn type_of_body(model: &Model, returned: Option<&Type>) -> Option<Type> {
    let mut returned = returned.cloned();
    if let Some(stream) = returned.as_mut().filter(|_| model.outlives()).and_then(declared_stream) {
        let runtime = &model.runtime;
        *stream = parse_quote!(<#stream as #runtime::__private::HoldStream>::Stream);
    }
    returned
}

/// Returns the stream in `Result<Response<Self::ListStream>, Status>`.
fn declared_stream(returned: &mut Type) -> Option<&mut Type> {
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

/// Wraps the type of a response that cannot hold by itself.
pub(super) fn rewrite(model: &Model, output: &mut ReturnType) {
    if let ReturnType::Type(_, returned) = output
        && model.outlives()
    {
        wrap(returned, &model.runtime);
    }
}

/// Does the same for a function that returns a future. Returns the type of its result, if it is known.
pub(super) fn rewrite_future(model: &Model, output: &mut ReturnType) -> Option<Type> {
    let ReturnType::Type(_, future) = output else { return None };
    let returned = output_mut(future)?;
    if model.outlives() {
        wrap(returned, &model.runtime);
    }
    Some(returned.clone())
}

/// The responses that cannot hold by themselves: axum's, and those of rocket, which has a macro of the same name for each stream.
const WRAPPED: [&str; 6] = ["Sse", "ByteStream", "EventStream", "NamedFile", "ReaderStream", "TextStream"];

/// Wraps `Sse<..>`, also in a `Result` or at the end of a tuple.
fn wrap(returned: &mut Type, runtime: &Path) {
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
