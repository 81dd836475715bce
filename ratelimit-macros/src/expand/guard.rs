//! The decision, in front of the body.

use super::call::call;
use super::place::{borrowed, ends};
use super::{element, probe, warn};
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;

/// Decides, and returns early from the function if the call is refused. All that it borrows is given back before the
/// await: the decision owns what it needs.
pub(super) fn guard(model: &Model, item: &Item, reject: &TokenStream) -> TokenStream {
    let warning = warn::shared_by_all(model, item);
    let (check, moved) = (check(model, item), probe::moved(model));
    let check = if moved.is_empty() { check } else { quote_spanned!(Span::mixed_site()=> { #moved #check }) };
    if model.is_held() {
        let held = held(model, &check, reject);
        return quote!(#warning #held);
    }
    quote_spanned! {Span::mixed_site()=>
        #warning
        let check = #check;
        if let ::core::result::Result::Err(rejection) = check.await {
            return #reject;
        }
    }
}

/// What was decided stays until the function ends: with a permit, or with a charge that the result decides about.
fn held(model: &Model, check: &TokenStream, reject: &TokenStream) -> TokenStream {
    let at = Span::mixed_site();
    let held = if model.judges() { quote_spanned!(at=> mut held) } else { quote_spanned!(at=> _held) };
    quote_spanned! {at=>
        let check = #check;
        let #held = match check.await {
            ::core::result::Result::Ok(held) => held,
            ::core::result::Result::Err(rejection) => return #reject,
        };
    }
}

/// The calls of all limits, and the start of their decision.
fn check(model: &Model, item: &Item) -> TokenStream {
    let at = Span::mixed_site();
    let start = Ident::new(if model.is_held() { "hold" } else { "start" }, at);
    let traits = element::traits(model);
    let limiter = model.limiter.as_ref().map(borrowed);
    if let [member] = model.members.as_slice() {
        return call(model, member, limiter.as_ref(), item).started(traits.as_ref(), &start);
    }
    let (Some(value), Some(limiter)) = (&model.limiter, limiter) else {
        let started = stack(model, None, item, &start);
        return quote_spanned!(at=> { #traits #started });
    };
    // Evaluated once, it lives as long as what it is borrowed from.
    let name = Ident::new("limiter", ends(value).0).into_token_stream();
    let started = stack(model, Some(&name), item, &start);
    quote_spanned!(at=> { #traits match #limiter { #name => #started } })
}

fn stack(model: &Model, limiter: Option<&TokenStream>, item: &Item, start: &Ident) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let calls = model.members.iter().map(|member| call(model, member, limiter, item).made());
    let joined = calls.enumerate().fold(TokenStream::new(), |joined, (i, call)| match i {
        0 => call,
        1 => quote_spanned!(at=> #runtime::__private::Call::and(#joined, #call)),
        _ => quote_spanned!(at=> #runtime::__private::Calls::and(#joined, #call)),
    });
    quote_spanned!(at=> #runtime::__private::Calls::#start(#joined))
}
