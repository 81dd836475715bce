//! Writes what lasts until the body of the response ends.

use super::arguments::Named;
use super::spans::{ends, located};
use super::target;
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
        let value = quote_spanned!(first=> #there::__private::settle_on_end #argument);
        quote_spanned!(Span::mixed_site()=> let #name = #value;)
    });
    settles.collect()
}

// Output:
//     let held = Admission::hold(__admission, &[0], [(0, settle0)]).await;
//     let result = HoldBody::hold(__result, __held);
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
        // What the body changes is what it was lent.
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
