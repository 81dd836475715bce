//! Writes warnings: all clients share a limit although the attribute does not say so, a refused call looks like another answer, or
//! a cache is in front of the limit.

use super::answer::{Looks, looks};
use super::callers::callers;
use super::spans::ends;
use super::stream;
use crate::item::Item;
use crate::model::{Algorithm, Limit, Member, Model};
use crate::neighbors::cache;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// Writes all warnings.
pub(super) fn warnings(model: &Model, item: &Item) -> TokenStream {
    let (shared, hidden) = (shared_by_all(model, item), hidden_refusal(model, item));
    let early = stream::ends_too_early(model, item);
    let cached = behind_a_cache(model, item);
    quote!(#shared #hidden #early #cached)
}

fn shared_by_all(model: &Model, item: &Item) -> TokenStream {
    if !model.members.iter().all(is_unsaid) {
        return TokenStream::new();
    }
    warning(model, item, &Ident::new("limit_without_identity", item.span()))
}

/// Warns about an `on_limit` that hides the refusal from the client.
fn hidden_refusal(model: &Model, item: &Item) -> TokenStream {
    let Some(on_limit) = &model.on_limit else { return TokenStream::new() };
    let Some(looks) = looks(on_limit) else { return TokenStream::new() };
    // The span of a token of the user.
    let span = ends(on_limit).0.resolved_at(Span::call_site());
    let method = match looks {
        Looks::Admitted => "refusal_looks_like_a_success",
        Looks::Missing => "refusal_looks_like_nothing",
    };
    warning(model, item, &Ident::new(method, span))
}

/// Writes calls that do nothing, but are deprecated if the function serves clients. The method has a span of the user, so that
/// the compiler shows the warning.
fn warning(model: &Model, item: &Item, method: &Ident) -> TokenStream {
    let (runtime, callers) = (&model.runtime, callers(model, item));
    if callers.is_empty() {
        return TokenStream::new();
    }
    quote_spanned! {Span::mixed_site()=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::ProbeCallers as _;
            #(#callers.#method();)*
        }
    }
}

/// Warns about a cache whose attribute is expanded later, and so is around the limit.
fn behind_a_cache(model: &Model, item: &Item) -> TokenStream {
    let Some(cache) = cache(&item.attributes) else { return TokenStream::new() };
    let (runtime, method) = (&model.runtime, Ident::new("limit_behind_a_cache", cache.span()));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Cache::#method();)
}

/// Whether a limit is for all callers because it has no `by`. For permits that is usually intended.
fn is_unsaid(member: &Member) -> bool {
    let permits = match &member.limit {
        Limit::Numbers(numbers) => matches!(numbers.algorithm, Algorithm::Concurrency),
        Limit::Value(_) => true,
    };
    member.by.is_none() && !permits && member.key.as_ref().is_none_or(|key| key.placeholders.is_empty())
}
