//! Writes the warnings. They are about a limit without `by`, which all clients share; a refusal that looks like another response;
//! a permit that ends too early; and a cache in front of the limit.

use super::answer::{Looks, looks};
use super::callers::callers;
use super::output::is_opaque_stream;
use super::spans::{ends, is_nameable};
use crate::future::output;
use crate::item::Item;
use crate::model::{Afterwards, Member, Model, Until, Verdict};
use crate::neighbors::cache;
use crate::upgrade::argument_of;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type, parse_quote};

/// Writes all warnings.
pub(super) fn warnings(model: &Model, item: &Item) -> TokenStream {
    let (shared, hidden) = (shared_by_all(model, item), hidden_refusal(model, item));
    let early = ends_too_early(model, item);
    let (cached, silent) = (behind_a_cache(model, item), silent_subscription(model, item));
    quote!(#shared #hidden #early #cached #silent)
}

fn shared_by_all(model: &Model, item: &Item) -> TokenStream {
    if !model.members.iter().all(is_for_all) {
        return TokenStream::new();
    }
    warning(model, item, &Ident::new("limit_without_identity", item.span()))
}

/// Warns about an `on_limit` that hides the refusal from the client.
fn hidden_refusal(model: &Model, item: &Item) -> TokenStream {
    let Some(on_limit) = &model.on_limit else { return TokenStream::new() };
    let Some(looks) = looks(on_limit) else { return TokenStream::new() };
    // The span is that of a token of the user, so that the compiler shows the warning.
    let span = ends(on_limit).0.resolved_at(Span::call_site());
    let method = match looks {
        Looks::Admitted => "refusal_looks_like_a_success",
        Looks::Missing => "refusal_looks_like_nothing",
    };
    warning(model, item, &Ident::new(method, span))
}

/// Writes calls that do nothing. The results of the called methods must be used if the function serves clients, which causes the
/// warning. They have a span of the user, so that the compiler shows the warning.
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

/// Warns about a cache whose attribute is expanded later. Such a cache encloses the limit, so cached calls are not limited.
fn behind_a_cache(model: &Model, item: &Item) -> TokenStream {
    let Some(cache) = cache(&item.attributes) else { return TokenStream::new() };
    let (runtime, method) = (&model.runtime, Ident::new("limit_behind_a_cache", cache.span()));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Cache::#method();)
}

/// Whether a limit is for all callers because it has no `by`. For permits, a limit for all callers is usually intended.
fn is_for_all(member: &Member) -> bool {
    let may_be_permits = member.limit.may_be_permits();
    member.by.is_none()
        && member.fair.is_empty()
        && !may_be_permits
        && member.key.as_ref().is_none_or(|key| key.placeholders.is_empty())
}

/// Writes calls that do nothing. The results of the called methods must be used if the return type is a stream or an argument
/// opens a socket.
fn ends_too_early(model: &Model, item: &Item) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let mut warnings = TokenStream::new();
    if let Some(upgrade) = argument_of(item, "WebSocketUpgrade")
        && model.members.iter().any(holds_a_permit)
    {
        let method = Ident::new("limit_without_socket", upgrade.span());
        warnings.extend(quote_spanned!(at=> #runtime::__private::Upgrade::#method();));
    }
    if let Some(returned) = item.return_type()
        && model.members.iter().any(|member| holds_a_permit(member) || settles(member))
    {
        let mut returned = output(returned).unwrap_or_else(|| returned.clone());
        // A span of the user, so that the compiler shows the warning.
        let method = Ident::new("limit_without_stream", returned.span());
        if is_opaque_stream(&returned) {
            warnings.extend(quote_spanned!(at=> #runtime::__private::OfStream::#method(&#runtime::__private::OpaqueStream);));
            return warnings;
        }
        erase_events(&mut returned);
        if may_be_a_stream(&returned) && is_nameable(&returned) {
            warnings.extend(quote_spanned! {at=>
                {
                    #[allow(unused_imports)]
                    use #runtime::__private::{NoStream as _, OfStream as _};
                    (&&&&#runtime::__private::ReturnOf::<#returned>::new()).#method();
                }
            });
        }
    }
    warnings
}

/// Warns about a subscription whose refusal nobody receives.
fn silent_subscription(model: &Model, item: &Item) -> TokenStream {
    let pending = argument_of(item, "PendingSubscriptionSink");
    let Some(pending) = pending.filter(|_| model.on_limit.is_none() && !model.never_rejects()) else {
        return TokenStream::new();
    };
    let (runtime, method) = (&model.runtime, Ident::new("refusal_without_answer", pending.span()));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::Subscription::#method();)
}

fn holds_a_permit(member: &Member) -> bool {
    member.limit.is_of_permits() && has_default_end(member)
}

fn settles(member: &Member) -> bool {
    matches!(member.afterwards, Some(Afterwards { verdict: Verdict::Settle, .. })) && has_default_end(member)
}

fn has_default_end(member: &Member) -> bool {
    member.until == Until::Return { said: false }
}

/// Whether a word of the type suggests that it is a stream. For such a type, the compiler then finds out whether it is one.
fn may_be_a_stream(tokens: impl ToTokens) -> bool {
    tokens.to_token_stream().into_iter().any(|token| match token {
        TokenTree::Group(group) => may_be_a_stream(group.stream()),
        TokenTree::Ident(word) => {
            let word = word.to_string();
            ["Sse", "Stream", "Response"].iter().any(|part| word.contains(part))
        }
        _ => false,
    })
}

/// Replaces the `impl Stream` of `Sse<impl Stream>`, which cannot be written again, by a type that can be written.
fn erase_events(returned: &mut Type) {
    match returned {
        Type::Group(group) => erase_events(&mut group.elem),
        Type::Paren(paren) => erase_events(&mut paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(erase_events),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last_mut() else { return };
            let is_sse = last.ident == "Sse";
            let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return };
            for argument in &mut arguments.args {
                match argument {
                    GenericArgument::Type(events) if is_sse => *events = parse_quote!(()),
                    GenericArgument::Type(inner) => erase_events(inner),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
