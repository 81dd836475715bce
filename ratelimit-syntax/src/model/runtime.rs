//! The path to the runtime, located at any place in the user's code.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Path;

/// The path to the runtime: `::ratelimit`, or the value of `crate`.
pub struct Runtime(pub Path);

impl Runtime {
    /// Returns the path located at `place`, so that the compiler draws its caret there. The path keeps its own hygiene.
    #[must_use]
    pub fn at(&self, place: Span) -> TokenStream {
        let tokens = self.0.to_token_stream().into_iter();
        tokens
            .map(|mut token| {
                token.set_span(token.span().located_at(place));
                token
            })
            .collect()
    }
}

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}
