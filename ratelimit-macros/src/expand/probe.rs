//! Finds the request parts of `by = "ip"`, `"user"` and `"header:.."` among the arguments, by their types.

use super::names_of;
use super::spans::located;
use crate::item::Item;
use crate::model::{Model, RequestPart};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, Pat, PatType, Path, parse_quote};

/// Looks up all request parts. What is found is owned, because arguments may be moved before the key is written.
pub(super) fn probe(model: &Model, names: &[Named]) -> TokenStream {
    let probe = |(part, span): &(RequestPart, Span)| {
        let at = Span::mixed_site().located_at(*span);
        let (name, found) = (variable(model, part), found(&located(&model.runtime, at), part, at, names));
        quote_spanned! {at=>
            #[allow(clippy::used_underscore_binding)]
            let #name = #found;
        }
    };
    model.request_parts.iter().map(probe).collect()
}

fn found(runtime: &TokenStream, part: &RequestPart, at: Span, names: &[Named]) -> TokenStream {
    let (kind, method) = match part {
        RequestPart::Ip => ("Address", "__ratelimit_probe_ip"),
        RequestPart::User => ("User", "__ratelimit_probe_user"),
        RequestPart::Header(_) => ("Headers", "__ratelimit_probe_headers"),
    };
    let name = |of: &str| Ident::new(&format!("{of}{kind}"), at);
    let (probe, merge, found) = (name("Probe"), name("Merge"), name("Found"));
    let nothing = quote_spanned!(at=> Nothing);
    let method = Ident::new(method, at);
    let merged = names.iter().fold(nothing, |found, Named { name, conditions }| {
        let part = quote_spanned!(at=> (&&&Argument(&#name)).#method());
        if conditions.is_empty() {
            return quote_spanned!(at=> #merge::merge(#found, #part));
        }
        quote_spanned! {at=> {
            let found = #found;
            #(#conditions)*
            let found = #merge::merge(found, #part);
            found
        }}
    });
    let value = match part {
        RequestPart::Ip | RequestPart::User => quote_spanned!(at=> #found::found(#merged)),
        RequestPart::Header(name) => quote_spanned!(at=> #found::header(#merged, #name)),
    };
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
        RequestPart::Ip => Ident::new("ip", Span::mixed_site()),
        RequestPart::User => Ident::new("user", Span::mixed_site()),
        RequestPart::Header(_) => {
            let at = model.request_parts.iter().position(|(known, _)| known == part).unwrap_or_default();
            format_ident!("header{at}", span = Span::mixed_site())
        }
    }
}

/// Writes a request part into the key.
pub(super) fn written(model: &Model, part: &RequestPart) -> TokenStream {
    let (runtime, name) = (&model.runtime, variable(model, part));
    let at = Span::mixed_site();
    let option = quote_spanned!(at=> ::core::option::Option::as_ref(&#name));
    let (writer, value) = match part {
        RequestPart::Ip => ("ip", name.into_token_stream()),
        RequestPart::User => ("user", option),
        RequestPart::Header(_) => ("header", option),
    };
    let writer = Ident::new(writer, at);
    quote_spanned!(at=> #runtime::__private::Call::#writer(&mut call, #value);)
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

/// A name that an argument binds.
pub(super) struct Named {
    name: Ident,
    /// The `cfg` attributes under which the argument exists.
    conditions: Vec<Attribute>,
}

impl Named {
    /// All names that the arguments bind.
    pub(super) fn all(item: &Item) -> Vec<Self> {
        let typed = item.signature.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(argument) => Some(argument),
            FnArg::Receiver(_) => None,
        });
        typed.flat_map(Self::of).collect()
    }

    fn of(argument: &PatType) -> impl Iterator<Item = Self> {
        let conditions = conditions(argument);
        names_of(&argument.pat)
            .into_iter()
            .map(move |name| Self { name: name.clone(), conditions: conditions.clone() })
    }
}

fn conditions(argument: &PatType) -> Vec<Attribute> {
    let is_condition = |path: &Path| path.is_ident("cfg") || path.is_ident("cfg_attr");
    argument.attrs.iter().filter(|attribute| is_condition(attribute.path())).cloned().collect()
}

/// The names of the arguments, for the probe.
#[derive(Default)]
pub(super) struct Probed {
    pub(super) names: Vec<Named>,
    /// Statements that bind the patterns of arguments that got a new name.
    pub(super) rebind: TokenStream,
}

impl Probed {
    /// Gives a name to each argument that is a pattern. Plain names stay, because frameworks and other attributes
    /// read them. Patterns whose names another attribute may read stay too; then their parts are probed.
    pub(super) fn name_arguments(item: &mut Item) -> Self {
        let mut probed = Self::default();
        let read_by_others = names_read_by_others(item);
        for (i, argument) in item.signature.inputs.iter_mut().enumerate() {
            let FnArg::Typed(argument) = argument else {
                continue;
            };
            let names = names_of(&argument.pat);
            let plain = matches!(&*argument.pat, Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none());
            if plain || names.iter().any(|name| read_by_others(name)) {
                probed.names.extend(Named::of(argument));
                continue;
            }
            let name = format_ident!("argument{i}", span = Span::mixed_site());
            let conditions = conditions(argument);
            let pattern = std::mem::replace(&mut *argument.pat, parse_quote!(#name));
            if !matches!(pattern, Pat::Wild(_)) {
                let rebind = quote_spanned!(Span::mixed_site()=> #(#conditions)* let #pattern = #name;);
                probed.rebind.extend(rebind);
            }
            probed.names.push(Named { name, conditions });
        }
        probed
    }
}

/// Finds the names that another attribute may read: the names that it mentions, or all names for `#[instrument]`.
fn names_read_by_others(item: &Item) -> impl Fn(&Ident) -> bool + use<> {
    let attributes = item.attributes.iter().filter(|attribute| !attribute.path().is_ident("doc"));
    let mentioned: String = attributes.map(|attribute| attribute.to_token_stream().to_string()).collect();
    let mentioned: Vec<String> =
        mentioned.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
    move |name| mentioned.iter().any(|word| word == "instrument" || name == word)
}
