//! Collects errors, so that all errors of an attribute are reported at once, each with its own caret.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds an error with the caret under some tokens.
    pub fn on(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error with the caret at a span.
    pub fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    pub fn add(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Adds the errors of another method. Leaves out messages that are already in the list.
    pub fn add_new(&mut self, others: Self) {
        let known: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        self.0.extend(others.0.into_iter().filter(|error| !known.contains(&error.to_string())));
    }

    /// The errors in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &syn::Error> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Writes the errors and the unchanged item, so that code that uses the item still compiles.
    pub fn beside(self, hints: TokenStream, item: impl ToTokens) -> TokenStream {
        let mut output = self.into_compile_errors();
        output.extend([hints, item.into_token_stream()]);
        output
    }

    pub fn into_compile_errors(self) -> TokenStream {
        self.0.into_iter().map(syn::Error::into_compile_error).collect()
    }
}
