//! Writes the decision in front of the body.

use super::call::{self, call};
use super::spans::{borrowed, ends};
use super::{key_part, probe, until, warn};
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Ident;

/// Writes code that decides, and returns early from the function if the call is refused. All borrows end before the
/// await, because the decision owns what it needs.
pub(super) fn guard(model: &Model, item: &Item, client: &TokenStream, reject: &TokenStream) -> TokenStream {
    let warning = warn::warnings(model, item);
    let (check, moved) = (calls(model, item, client, Some(&start(model))), probe::moved(model));
    let check = if moved.is_empty() { check } else { quote_spanned!(Span::mixed_site()=> { #moved #check }) };
    let decided = decided(model, reject);
    quote_spanned!(Span::mixed_site()=> #warning let __check = #check; #decided)
}

/// Writes the same in two parts: one evaluates the key, and the other decides, in another place.
pub(super) fn parted(
    model: &Model,
    item: &Item,
    client: &TokenStream,
    reject: &TokenStream,
) -> (TokenStream, TokenStream) {
    let (at, runtime, start) = (Span::mixed_site(), &model.runtime, start(model));
    let warning = warn::warnings(model, item);
    let (call, moved) = (calls(model, item, client, None), probe::moved(model));
    let decided = decided(model, reject);
    let check = if model.members.len() > 1 {
        quote_spanned!(at=> #runtime::__private::Calls::#start(__call))
    } else {
        // The call moves into the block, so that it ends before the await.
        let check = call::start(model, &quote_spanned!(at=> __call));
        let moved = (!model.keeps_admission()).then(|| quote_spanned!(at=> let mut __call = __call;));
        quote_spanned!(at=> { #moved #check })
    };
    (
        quote_spanned!(at=> #warning let __call = { #moved #call };),
        quote_spanned!(at=> let __check = #check; #decided),
    )
}

fn start(model: &Model) -> Ident {
    Ident::new(if model.keeps_admission() { "admit" } else { "start" }, Span::mixed_site())
}

/// Awaits the decision. A permit, or a charge that the result decides about, is held until the function ends.
fn decided(model: &Model, reject: &TokenStream) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    if !model.keeps_admission() && model.never_rejects() {
        return quote_spanned!(at=> let _ = __check.await;);
    }
    if !model.keeps_admission() {
        // A call that is admitted at once is not awaited, because that would move the decision into the future. A borrow of the
        // decision would enlarge the future, as would a pattern that moves a part of it.
        return quote_spanned! {at=>
            let __check = #runtime::__private::Check::pending(__check);
            if let ::core::option::Option::Some(_) = __check {
                if let ::core::result::Result::Err(__rejection) = #runtime::__private::Check::of_pending(__check).await {
                    return #reject;
                }
            } else {
                ::core::mem::drop(__check);
            }
        };
    }
    let admission =
        if model.judges() { quote_spanned!(at=> mut __admission) } else { quote_spanned!(at=> __admission) };
    let settles = until::settles(model);
    if model.never_rejects() {
        return quote_spanned! {at=>
            let #admission = #runtime::__private::Admission::of_shadows(__check.await);
            #settles
        };
    }
    quote_spanned! {at=>
        let #admission = match __check.await {
            ::core::result::Result::Ok(__admission) => __admission,
            ::core::result::Result::Err(__rejection) => return #reject,
        };
        #settles
    }
}

/// Writes the calls of all limits, and the start of their decision if `start` is given.
fn calls(model: &Model, item: &Item, client: &TokenStream, start: Option<&Ident>) -> TokenStream {
    let at = Span::mixed_site();
    let traits = key_part::traits(model);
    let limiter = model.limiter.as_ref().map(borrowed);
    if let [member] = model.members.as_slice() {
        let call = call(model, member, limiter.as_ref(), item, client);
        return match start {
            Some(_) => call.started(model, traits.as_ref()),
            None => call.made(traits.as_ref()),
        };
    }
    let (Some(value), Some(limiter)) = (&model.limiter, limiter) else {
        let stack = stack(model, None, item, client, start);
        return quote_spanned!(at=> { #traits #stack });
    };
    // `match` evaluates the limiter once, and keeps temporaries alive.
    let name = Ident::new("__limiter", ends(value).0).into_token_stream();
    let stack = stack(model, Some(&name), item, client, start);
    quote_spanned!(at=> { #traits match #limiter { #name => #stack } })
}

fn stack(
    model: &Model,
    limiter: Option<&TokenStream>,
    item: &Item,
    client: &TokenStream,
    start: Option<&Ident>,
) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let calls = model.members.iter().map(|member| call(model, member, limiter, item, client).made(None));
    let joined = calls.enumerate().fold(TokenStream::new(), |joined, (i, call)| match i {
        0 => call,
        1 => quote_spanned!(at=> #runtime::__private::Call::and(#joined, #call)),
        _ => quote_spanned!(at=> #runtime::__private::Calls::and(#joined, #call)),
    });
    match start {
        Some(start) => quote_spanned!(at=> #runtime::__private::Calls::#start(#joined)),
        None => joined,
    }
}
