//! `by = "ip"`: the address of the client, found among the arguments by their types.

use super::names_of;
use super::place::located;
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{FnArg, Pat, parse_quote};

/// Looks for the client's address among the arguments, by their types.
pub(super) fn probe(model: &Model, names: &[Ident]) -> TokenStream {
    let Some(ip) = model.ip() else {
        return TokenStream::new();
    };
    let at = Span::mixed_site().located_at(ip);
    let runtime = located(&model.runtime, at);
    let found = names.iter().fold(
        quote_spanned!(at=> NoAddress),
        |found, name| quote_spanned!(at=> Merge::merge(#found, (&&&Argument(&#name)).__ratelimit_probe_ip())),
    );
    quote_spanned! {at=>
        #[allow(clippy::used_underscore_binding)]
        let ip = {
            #[allow(unused_imports)]
            use #runtime::__private::{
                Argument, Merge, NoAddress, ProbeAddress as _, ProbeClientIp as _, ProbeOther as _,
            };
            #runtime::__private::FoundAddress::found(#found)
        };
    }
}

/// How the arguments can be named for the probe.
#[derive(Default)]
pub(super) struct Probed {
    pub(super) names: Vec<Ident>,
    /// Binds the patterns of arguments that had to be given a name.
    pub(super) rebind: TokenStream,
}

impl Probed {
    /// Gives a name to arguments that are patterns. Plain names stay: frameworks and other attributes read them. So
    /// do patterns whose names another attribute may read; of those the parts are probed.
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
                probed.names.extend(names.into_iter().cloned());
                continue;
            }
            let name = format_ident!("argument{i}", span = Span::mixed_site());
            let pattern = std::mem::replace(&mut *argument.pat, parse_quote!(#name));
            if !matches!(pattern, Pat::Wild(_)) {
                let rebind = quote_spanned!(Span::mixed_site()=> let #pattern = #name;);
                probed.rebind.extend(rebind);
            }
            probed.names.push(name);
        }
        probed
    }
}

/// Tells the names that another attribute reads: those it mentions, and all of them for one that records arguments.
fn names_read_by_others(item: &Item) -> impl Fn(&Ident) -> bool + use<> {
    let attributes = item.attributes.iter().filter(|attribute| !attribute.path().is_ident("doc"));
    let mentioned: String = attributes.map(|attribute| attribute.to_token_stream().to_string()).collect();
    let mentioned: Vec<String> =
        mentioned.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
    move |name| mentioned.iter().any(|word| word == "instrument" || name == word)
}
