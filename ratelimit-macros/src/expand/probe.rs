//! Finds the request parts of `by = "ip"`, `"user"` and `"header:.."` among the arguments, by their types.

use super::address;
use super::arguments::{Named, Probed, merged};
use super::spans::located;
use crate::item::Item;
use crate::model::{Model, RequestPart};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The code that finds the request parts of a function.
#[derive(Default)]
pub(super) struct Probes {
    /// Statements at the start of the function.
    pub(super) front: TokenStream,
    /// The client, for the place where the key is written.
    pub(super) client: TokenStream,
}

/// Looks up request parts among the arguments, before patterns take the arguments apart.
pub(super) fn of_arguments(model: &Model, item: &mut Item) -> Probes {
    if model.request_parts.is_empty() {
        return Probes::default();
    }
    let Probed { names, rebind } = Probed::name_arguments(item);
    let Probes { front, client } = of_names(model, &names);
    Probes { front: quote!(#front #rebind), client }
}

/// Looks up all request parts. What is found is owned, because arguments may be moved before the key is written. The client is
/// found later, because its headers are borrowed.
pub(super) fn of_names(model: &Model, names: &[Named]) -> Probes {
    let mut probes = Probes::default();
    for (part, span) in &model.request_parts {
        let at = Span::mixed_site().located_at(*span);
        let runtime = located(&model.runtime, at);
        let name = variable(model, part);
        let found = match part {
            RequestPart::Ip => {
                let kept = address::kept(&runtime, at, names);
                probes.client = address::client(&runtime, at, names, kept.as_ref().map(|_| &name));
                kept
            }
            RequestPart::User => Some(found(&runtime, "User", &quote!(), at, names)),
            RequestPart::Header(header) => Some(found(&runtime, "Headers", &quote!(, #header), at, names)),
        };
        probes.front.extend(found.map(|found| {
            quote_spanned! {at=>
                #[allow(clippy::used_underscore_binding)]
                let #name = #found;
            }
        }));
    }
    probes
}

fn found(runtime: &TokenStream, kind: &str, header: &TokenStream, at: Span, names: &[Named]) -> TokenStream {
    let name = |of: &str| Ident::new(&format!("{of}{kind}"), at);
    let (probe, merge, found) = (name("Probe"), name("Merge"), name("Found"));
    let method = format_ident!("__ratelimit_probe_{}", kind.to_lowercase(), span = at);
    let merged = merged(&merge, quote_spanned!(at=> Nothing), names.iter(), |Named { name, .. }| {
        Some(quote_spanned!(at=> (&&&Argument(&#name)).#method()))
    });
    let get = Ident::new(if header.is_empty() { "found" } else { "header" }, at);
    let value = quote_spanned!(at=> #found::#get(#merged #header));
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{Argument, #found, #merge, Nothing, #probe as _};
            #value
        }
    }
}

/// The variable of a request part.
fn variable(model: &Model, part: &RequestPart) -> Ident {
    match part {
        RequestPart::Ip => Ident::new("__ip", Span::mixed_site()),
        RequestPart::User => Ident::new("__user", Span::mixed_site()),
        RequestPart::Header(_) => {
            let at = model.request_parts.iter().position(|(known, _)| known == part).unwrap_or_default();
            format_ident!("__header{at}", span = Span::mixed_site())
        }
    }
}

/// Writes a request part into the key.
pub(super) fn written(model: &Model, part: &RequestPart, client: &TokenStream) -> TokenStream {
    let (runtime, name) = (&model.runtime, variable(model, part));
    let at = Span::mixed_site();
    let writer = match part {
        RequestPart::Ip => {
            return quote_spanned! {at=>
                #[allow(clippy::used_underscore_binding)]
                #runtime::__private::Call::ip(&mut __call, #client);
            };
        }
        RequestPart::User => "user",
        RequestPart::Header(_) => "header",
    };
    let writer = Ident::new(writer, at);
    let value = quote_spanned!(at=> ::core::option::Option::as_ref(&#name));
    quote_spanned!(at=> #runtime::__private::Call::#writer(&mut __call, #value);)
}

/// Moves request parts to the block that writes the key, so that the function's future does not store them.
pub(super) fn moved(model: &Model) -> TokenStream {
    let owned = model.request_parts.iter().filter(|(part, _)| *part != RequestPart::Ip);
    let names: Vec<Ident> = owned.map(|(part, _)| variable(model, part)).collect();
    if names.is_empty() {
        return TokenStream::new();
    }
    let names = quote!((#(#names,)*));
    quote_spanned!(Span::mixed_site()=> let #names = #names;)
}
