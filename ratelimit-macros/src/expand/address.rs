//! Finds the client of `by = "ip"` among the arguments.

use super::arguments::Named;
use super::probe::merged;
use super::warn::is_nameable;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

/// Writes what the arguments say about the client that are taken apart before the key is written.
pub(super) fn kept(runtime: &TokenStream, at: Span, names: &[Named]) -> Option<TokenStream> {
    let mut names = names.iter().filter(|named| named.taken_apart).peekable();
    names.peek()?;
    let merge = Ident::new("MergeAddress", at);
    let merged = merged(&merge, quote_spanned!(at=> Nothing), names, |named| part(named, at));
    Some(quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{Argument, KeptAddress, MergeAddress, Nothing, ProbeAddress as _};
            KeptAddress::kept(#merged)
        }
    })
}

/// Writes what all arguments say about the client. It borrows the arguments.
pub(super) fn client(runtime: &TokenStream, at: Span, names: &[Named], kept: Option<&Ident>) -> TokenStream {
    let merge = Ident::new("MergeAddress", at);
    let start = quote_spanned!(at=> Nothing);
    let start = match kept {
        Some(kept) => quote_spanned!(at=> MergeAddress::merge(#start, #kept)),
        None => start,
    };
    let names = names.iter().filter(|named| !named.taken_apart);
    let parts = names.clone().any(|named| named.part_of.is_some());
    let parts = parts.then(|| quote_spanned!(at=> ArgumentOf, PassAddress as _,));
    let merged = merged(&merge, start, names, |named| part(named, at));
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

/// Writes the probe of one argument. A part of an argument counts only if the whole argument has the address.
fn part(Named { name, part_of, .. }: &Named, at: Span) -> Option<TokenStream> {
    let probe = quote_spanned!(at=> (&&&&&Argument(&#name)).__ratelimit_probe_ip());
    match part_of {
        None => Some(probe),
        Some(whole) if is_nameable(whole) => {
            Some(quote_spanned!(at=> (&&&ArgumentOf::<#whole>::new()).__ratelimit_pass_ip(#probe)))
        }
        Some(_) => None,
    }
}
