//! Finds the request parts of `by = "ip"`, `"user"` and `"header:.."` among the arguments, by their types.

use super::arguments::{Named, Probed, merged};
use super::spans::is_nameable;
use crate::item::Item;
use crate::model::{Model, RequestPart};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// The code that finds the request parts of a function.
#[derive(Default)]
pub(super) struct Probes {
    /// Statements at the start of the function.
    pub(super) front: TokenStream,
    /// The code that finds the client, for the place where the key is written.
    pub(super) client: TokenStream,
}

/// Looks up request parts among the arguments, before patterns destructure the arguments. If `has_names` is true,
/// `#[async_trait]` has already given each argument a name.
pub(super) fn of_arguments(model: &Model, item: &mut Item, has_names: bool) -> Probes {
    if model.request_parts.is_empty() {
        return Probes::default();
    }
    let Probed { names, rebind } = if has_names {
        Probed { names: Named::all(item), ..Probed::default() }
    } else {
        Probed::name_arguments(item)
    };
    let Probes { front, client } = of_names(model, &names);
    Probes { front: quote!(#front #rebind), client }
}

/// Looks up all request parts. The values found are owned, because arguments may be moved before the key is written. The client
/// is found only when the key is written, because its headers are borrowed.
fn of_names(model: &Model, names: &[Named]) -> Probes {
    let mut probes = Probes::default();
    for (part, span) in &model.request_parts {
        let at = Span::mixed_site().located_at(*span);
        let runtime = model.runtime.at(at);
        let name = variable(model, part);
        let found = match part {
            RequestPart::Ip => {
                let kept = kept_address(&runtime, at, names);
                probes.client = client_address(&runtime, at, names, kept.as_ref().map(|_| &name));
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

/// The variable that stores a request part.
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

/// Moves request parts into the block that writes the key, so that the function's future does not store them.
pub(super) fn moved(model: &Model) -> TokenStream {
    let owned = model.request_parts.iter().filter(|(part, _)| *part != RequestPart::Ip);
    let names: Vec<Ident> = owned.map(|(part, _)| variable(model, part)).collect();
    if names.is_empty() {
        return TokenStream::new();
    }
    let names = quote!((#(#names,)*));
    quote_spanned!(Span::mixed_site()=> let #names = #names;)
}

/// Writes code that finds the client's address in the arguments that a pattern destructures before the key is written, and stores
/// this address. `None` if there are no such arguments.
fn kept_address(runtime: &TokenStream, at: Span, names: &[Named]) -> Option<TokenStream> {
    let mut names = names.iter().filter(|named| named.taken_apart).peekable();
    names.peek()?;
    let merge = Ident::new("MergeAddress", at);
    let merged = merged(&merge, quote_spanned!(at=> Nothing), names, |named| part_of_address(named, at));
    Some(quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{Argument, KeptAddress, MergeAddress, Nothing, ProbeAddress as _};
            KeptAddress::kept(#merged)
        }
    })
}

/// Writes code that finds the client's address in all arguments. The code borrows the arguments.
fn client_address(runtime: &TokenStream, at: Span, names: &[Named], kept: Option<&Ident>) -> TokenStream {
    let merge = Ident::new("MergeAddress", at);
    let start = quote_spanned!(at=> Nothing);
    let start = match kept {
        Some(kept) => quote_spanned!(at=> MergeAddress::merge(#start, #kept)),
        None => start,
    };
    let names = names.iter().filter(|named| !named.taken_apart);
    let parts = names.clone().any(|named| named.part_of.is_some());
    let parts = parts
        .then(|| quote_spanned!(at=> ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart, PassAddress as _,));
    let merged = merged(&merge, start, names, |named| part_of_address(named, at));
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{
                Argument, #parts FoundAddress, MergeAddress, Nothing, ProbeAddress as _, TrustedAddress,
            };
            FoundAddress::found(TrustedAddress::trusted(#merged))
        }
    }
}

/// Writes the probe of one argument. If the name binds the only part of the argument, the argument is rebuilt from that part.
/// Otherwise, a part counts only if the type of the whole argument contains the address.
fn part_of_address(named: &Named, at: Span) -> Option<TokenStream> {
    let Named { name, part_of, made_of_part, .. } = named;
    let probe = |value| quote_spanned!(at=> (&&&&&Argument(&#value)).__ratelimit_probe_ip());
    if let Some(made) = made_of_part {
        let made = probe(quote_spanned!(at=> (&&OnlyPart(&#name)).__ratelimit_make_again(|__part| #made)));
        return Some(quote_spanned!(at=> MergeAddress::merge(Nothing, KeptAddress::kept(#made))));
    }
    let probe = probe(name.to_token_stream());
    match part_of {
        None => Some(probe),
        Some(whole) if is_nameable(whole) => {
            Some(quote_spanned!(at=> (&&&ArgumentOf::<#whole>::new()).__ratelimit_pass_ip(#probe)))
        }
        Some(_) => None,
    }
}
