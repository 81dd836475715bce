//! Finds the client of `by = "ip"` among the arguments.

use super::arguments::{Named, merged};
use super::nameable::is_nameable;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

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
    let parts = parts
        .then(|| quote_spanned!(at=> ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart, PassAddress as _,));
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

/// Writes the probe of one argument. An argument of which only a part has a name is made again. If that is not possible, the part
/// counts only if the whole argument has the address.
fn part(named: &Named, at: Span) -> Option<TokenStream> {
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
