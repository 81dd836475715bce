//! Expands functions that return a future without being async. The arguments are evaluated at the call. When the future is first
//! polled, it asks for the limiter and decides.

use super::probe::Probes;
use super::{Place, as_a_block, ending, guard, output};
use crate::body::split_inner_attributes;
use crate::future::ReturnedFuture;
use crate::item::Item;
use crate::model::{Model, Runtime};
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse_quote;

// Input:
//     fn open(id: u64) -> impl Future<Output = R> { let door = find(id); async move { body } }
// Output:
//     fn open(id: u64) -> impl Future<Output = R> {
//         let call = { static __SITE: Site = ..; let mut call = Call::later(&__SITE); ..; Later::of([call]) };
//         { let door = find(id); async move { let check = Later::start(call); if let Err(rejection) = check.await { return ..; } { body } } }
//     }
// Input:
//     fn open(id: u64) -> impl Future<Output = R> { body }
// Output:
//     fn open(id: u64) -> impl Future<Output = R> {
//         let call = ..;
//         async move { let check = ..; ..; { once(move || { body }).await } }
//     }
pub(super) fn expand(model: &Model, mut item: Item, probes: &Probes, future: &ReturnedFuture) -> TokenStream {
    let Probes { front, client } = probes;
    let (attributes, awaited) = match &future.block {
        Some(block) => split_inner_attributes(&block.content),
        None => (TokenStream::new(), called_later(&model.runtime, &item, future)),
    };
    let returned = future.output.clone().unwrap_or_else(|| parse_quote!(_));
    let (reject, awaited) = ending(model, &mut item, Some(&returned), &awaited, Place::Future);
    let (call, decision) = guard::parted(model, &item, client, &reject);
    let content = quote!(#attributes #decision #awaited);
    let (attributes, body) = match &future.block {
        Some(block) => {
            let (attributes, body) = split_inner_attributes(&block.rebuild(&item.body, &content));
            (attributes, as_a_block(&body))
        }
        None => (split_inner_attributes(&item.body).0, in_a_block(&model.runtime, &content, future)),
    };
    let mut guarded = Group::new(Delimiter::Brace, quote!(#attributes #front #call #body));
    guarded.set_span(item.body.span());
    item.body = guarded;
    item.into_token_stream()
}

/// Wraps the body in a closure, because it may contain `return`, and awaits the future that the closure returns.
fn called_later(runtime: &Runtime, item: &Item, future: &ReturnedFuture) -> Group {
    let (_, body) = split_inner_attributes(&item.body);
    let returned = item.return_type().filter(|_| future.boxed);
    let returned = returned.map(|returned| {
        let returned = output::nameable(Some(returned), item.span());
        quote!(-> #returned)
    });
    let awaited =
        quote_spanned!(Span::mixed_site()=> #runtime::__private::once(move || #returned #body).await);
    let mut group = Group::new(Delimiter::Brace, awaited);
    group.set_span(body.span());
    group
}

fn in_a_block(runtime: &Runtime, content: &TokenStream, future: &ReturnedFuture) -> TokenStream {
    let at = Span::mixed_site();
    let block = quote_spanned!(at=> async move { #content });
    if future.boxed { quote_spanned!(at=> #runtime::__private::Box::pin(#block)) } else { block }
}
