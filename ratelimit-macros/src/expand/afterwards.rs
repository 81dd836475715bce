//! Writes the code after the body, for limits with a charge or a pause that the result decides about.

use super::arguments::Named;
use super::output::{declared_stream, in_result, is_opaque_stream};
use super::spans::{ends, units};
use super::target;
use crate::item::Item;
use crate::model::{Afterwards, Model, Runtime, Verdict};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Pat, Type};

// Input:
//     { body }
// Output:
//     let result: R = async move {
//         if let Some(result) = None::<R> { return result; }
//         { body }
//     }.await;
/// Evaluates the body to its result. The body becomes a separate block, because it may contain `return`. The block begins with a
/// `return` of type `R` that never runs. Because of this `return`, each later `return` and `?` in the body has the type of the
/// function. The body borrows the `lent` arguments, so they can be used after it.
pub(super) fn result(body: &TokenStream, returned: &Type, lent: &[Named]) -> TokenStream {
    // The compiler points here if the body has another type.
    let there = Span::mixed_site().located_at(returned.span());
    let early = quote_spanned!(there=> return __result;);
    let body = quote_spanned! {Span::mixed_site()=>
        async move {
            if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<#returned> {
                #early
            }
            #body
        }
    };
    let lent = target::lent(lent);
    let body = if lent.is_empty() { body } else { quote_spanned!(Span::mixed_site()=> { #lent #body }) };
    quote_spanned!(Span::mixed_site()=> let __result: #returned = #body.await;)
}

/// Writes the verdict about each charge and the pauses, and then settles all charges in one call. A permit or charge that lasts
/// until the body of the response ends is moved into the response instead.
pub(super) fn afterwards(
    model: &Model,
    returned: Option<&Type>,
    function: Span,
    targets: &[Named],
) -> TokenStream {
    let runtime = &model.runtime;
    let charges = model.members.iter().enumerate();
    let verdicts = charges.clone().filter_map(|(at, member)| Some(verdict(runtime, at, member.judged()?)));
    let pauses = charges.filter_map(|(at, member)| Some(pause(runtime, at, member.pause_if.as_ref()?)));
    let verdicts: Vec<TokenStream> = verdicts.chain(pauses).collect();
    if model.outlives() {
        let held = held(model, returned, function, targets);
        return quote_spanned!(Span::mixed_site()=> #(#verdicts)* #held);
    }
    if !model.judges() {
        return TokenStream::new();
    }
    quote_spanned! {Span::mixed_site()=>
        #(#verdicts)*
        #runtime::__private::Admission::finish(__admission).await;
    }
}

/// Writes the code that pauses the limit at the position `at`, if its `pause_if` says so.
fn pause(runtime: &Runtime, at: usize, judge: &Expr) -> TokenStream {
    let (judged, at) = (judged(runtime, judge), Literal::usize_unsuffixed(at));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Admission::pause_if(&mut __admission, #at, #judged);)
}

/// Writes the verdict about one charge: the result of `refund_if` or `settle` for the limit at the position `at`.
fn verdict(runtime: &Runtime, at: usize, Afterwards { verdict, judge }: &Afterwards) -> TokenStream {
    let judged = judged(runtime, judge);
    let judged = if *verdict == Verdict::Settle { units(runtime, judge, &judged) } else { judged };
    let verdict = Ident::new(verdict.name(), Span::mixed_site());
    let at = Literal::usize_unsuffixed(at);
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Admission::#verdict(&mut __admission, #at, #judged);)
}

/// Writes a call of the user's function with the result. All tokens have spans of that function, so that the compiler's caret is
/// under it.
fn judged(runtime: &Runtime, judge: &Expr) -> TokenStream {
    let (first, last) = ends(judge);
    let there = runtime.at(first);
    let arguments = quote_spanned!(last=> (#judge, &__result));
    quote_spanned!(first=> #there::__private::judge #arguments)
}

/// Writes code that evaluates the `settle` functions before the body. A `settle` may be a closure that copies values, and the
/// body may move these values.
pub(super) fn settles(model: &Model) -> TokenStream {
    let settles = settled(model).map(|(at, Afterwards { judge, .. })| {
        let (first, last) = ends(judge);
        let (there, name) = (model.runtime.at(first), variable(at));
        let argument = quote_spanned!(last=> (#judge));
        let cost = quote_spanned!(first=> #there::__private::cost_on_end #argument);
        let runtime = &model.runtime;
        let units = units(runtime, judge, &quote_spanned!(Span::mixed_site()=> __cost(__sent)));
        quote_spanned! {Span::mixed_site()=>
            let __cost = #cost;
            let #name = #runtime::__private::cost_on_end(move |__sent| #units);
        }
    });
    settles.collect()
}

// Output:
//     let held = Admission::hold(__admission, &[0], [(0, settle0)]).await;
//     let result = HoldBody::hold(result, held);
// Output for the return type `Result<Response<Self::ListStream>, Status>`:
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
        let there = runtime.at(at.located_at(stream.span()));
        quote_spanned!(at=> let __result = __result.map(|__response| {
            __response.map(|__stream| <#stream as #there::__private::HoldStream>::hold(__stream, __held))
        });)
    } else if returned.is_some_and(is_opaque_stream) {
        let stream = |stream| quote_spanned!(at=> #runtime::__private::HeldStream::new(#stream, __held));
        let held = if returned.and_then(in_result).is_some() {
            let held = stream(quote_spanned!(at=> __stream));
            quote_spanned!(at=> __result.map(|__stream| #held))
        } else {
            stream(quote_spanned!(at=> __result))
        };
        quote_spanned!(at=> let __result = #held;)
    } else {
        // If the return type has no body, the compiler's caret is under the return type.
        let there = returned.map_or(at, |returned| at.located_at(returned.span()));
        let trait_path = runtime.at(there);
        let held = quote_spanned!(there=> #trait_path::body::HoldBody::hold(__result, __held));
        quote_spanned!(at=> let __result = #held;)
    };
    quote_spanned! {at=>
        let __held = #runtime::__private::Admission::hold(__admission, &[#(#lasting),*], [#(#settles),*]).await;
        #hold
    }
}

/// The arguments that may be the response. If one of them is the response, it holds the permits and charges. The body of the
/// function borrows these arguments.
pub(super) fn targets(model: &Model, item: &mut Item, returned: Option<&Type>) -> Vec<Named> {
    if !model.outlives() || !target::is_in_argument(returned) {
        return Vec::new();
    }
    let targets = Named::exclusive(item);
    for argument in &mut item.signature.inputs {
        // The body changes the argument through a reference, so the argument itself does not need `mut`.
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

/// The variable that stores the function of a `settle`.
fn variable(at: usize) -> Ident {
    format_ident!("__settle{at}", span = Span::mixed_site())
}
