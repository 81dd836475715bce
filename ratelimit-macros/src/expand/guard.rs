//! Writes the decision in front of the body.

use super::call::calls;
use super::{afterwards, probe, warn};
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;

/// Writes the decision in front of the body. All borrows end before the await, because the decision owns the values that it
/// needs.
pub(super) fn guard(model: &Model, item: &Item, client: &TokenStream, reject: &TokenStream) -> TokenStream {
    let (at, warning, moved) = (Span::mixed_site(), warn::warnings(model, item), probe::moved(model));
    let call = calls(model, item, client, Some(&start(model)));
    let check = if moved.is_empty() { call } else { quote_spanned!(at=> { #moved #call }) };
    let decided = decided(model, reject);
    quote_spanned!(at=> #warning let __check = #check; #decided)
}

/// Writes the decision in two parts, for two places. The code of the first part evaluates the arguments. The code of the second
/// part asks for the limiter and decides.
pub(super) fn parted(
    model: &Model,
    item: &Item,
    client: &TokenStream,
    reject: &TokenStream,
) -> (TokenStream, TokenStream) {
    let (at, warning, moved) = (Span::mixed_site(), warn::warnings(model, item), probe::moved(model));
    let (runtime, start) = (&model.runtime, start(model));
    let (call, decided) = (calls(model, item, client, None), decided(model, reject));
    (
        quote_spanned!(at=> #warning let __call = { #moved #call };),
        quote_spanned!(at=> let __check = #runtime::__private::Later::#start(__call); #decided),
    )
}

fn start(model: &Model) -> Ident {
    Ident::new(if model.keeps_admission() { "admit" } else { "start" }, Span::mixed_site())
}

/// Awaits the decision, and returns early from the function if the call is refused. A permit, or a charge that the result decides
/// about, is held until the function ends.
fn decided(model: &Model, reject: &TokenStream) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    if !model.keeps_admission() && model.never_rejects() {
        return quote_spanned!(at=> let _ = __check.await;);
    }
    if !model.keeps_admission() {
        // A call that is admitted at once is not awaited, because the await would move the decision into the future. The future
        // would also be larger if the code borrowed the decision, or moved a part of the decision in a pattern.
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
    let settles = afterwards::settles(model);
    if model.never_rejects() {
        return quote_spanned! {at=>
            let #admission = ::core::result::Result::unwrap_or_default(__check.await);
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
