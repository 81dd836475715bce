//! Helps editors to complete half-typed arguments. An editor finds the half-typed token in the expanded code, and
//! offers the names that are in scope there.

use crate::args::Arguments;
use crate::table::ARGUMENTS;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// Puts the half-typed names in a place where only the names of arguments are in scope. Only rust-analyzer compiles this code.
pub(crate) fn hints(attributes: &[Arguments]) -> TokenStream {
    let typed: Vec<&Ident> = attributes.iter().flat_map(|arguments| &arguments.half_typed).collect();
    if typed.is_empty() {
        return TokenStream::new();
    }
    // `crate` cannot be the name of an item.
    let arguments = ARGUMENTS.iter().filter(|argument| argument.name != "crate").map(|argument| {
        let (name, text) = (Ident::new(argument.name, Span::mixed_site()), argument.hint());
        quote!(#[doc = #text] pub mod #name {})
    });
    quote_spanned! {Span::mixed_site()=>
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            mod arguments {
                #(#arguments)*
                use self::{#(#typed as _),*};
            }
        };
    }
}
