//! Writes the code after the body, if its result decides about a charge.

use super::arguments::Named;
use super::spans::{ends, located};
use super::{target, units, until};
use crate::model::{Afterwards, Model, Verdict};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, Path, Type};

// Input:
//     { body }
// Output:
//     let result: R = async move {
//         if let Some(result) = None::<R> { return result; }
//         { body }
//     }.await;
/// Evaluates the body to its result. The body is a block of its own, because it may contain `return`. The type is
/// given first, so that each `return` and `?` has the type of the function. The `lent` arguments are still there afterwards.
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

/// Evaluates the verdict about each charge, then settles all charges in one call. What lasts longer moves into the response.
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
        let held = until::held(model, returned, function, targets);
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

/// Writes one pause.
fn pause(runtime: &Path, at: usize, judge: &Expr) -> TokenStream {
    let (judged, at) = (judged(runtime, judge), Literal::usize_unsuffixed(at));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Admission::pause_if(&mut __admission, #at, #judged);)
}

/// Writes one verdict.
fn verdict(runtime: &Path, at: usize, Afterwards { verdict, judge }: &Afterwards) -> TokenStream {
    let judged = judged(runtime, judge);
    let judged = if *verdict == Verdict::Settle { units::written(runtime, judge, &judged) } else { judged };
    let verdict = Ident::new(verdict.name(), Span::mixed_site());
    let at = Literal::usize_unsuffixed(at);
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Admission::#verdict(&mut __admission, #at, #judged);)
}

/// Writes the call of a function with the result. All tokens have spans of the function, so that the compiler's caret is under it.
fn judged(runtime: &Path, judge: &Expr) -> TokenStream {
    let (first, last) = ends(judge);
    let there = located(runtime, first);
    let arguments = quote_spanned!(last=> (#judge, &__result));
    quote_spanned!(first=> #there::__private::judge #arguments)
}
