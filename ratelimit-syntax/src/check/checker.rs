//! The checker of one attribute: its arguments, its function, and the errors found so far.

use crate::args::{Arguments, Given};
use crate::errors::Errors;
use crate::item::Item;
use proc_macro2::Span;
use quote::ToTokens;
use std::fmt::Display;
use syn::Expr;

pub(super) struct Checker<'c> {
    pub(super) arguments: &'c Arguments,
    pub(super) item: &'c Item,
    pub(super) errors: &'c mut Errors,
}

impl<'c> Checker<'c> {
    pub(super) fn given(&self, name: &str) -> Option<&'c Given> {
        self.arguments.get(name)
    }

    pub(super) fn value(&self, name: &str) -> Option<&'c Expr> {
        self.arguments.value(name)
    }

    /// Reports an error with the caret under all of the tokens.
    pub(super) fn error(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.errors.on(tokens, message);
    }

    /// Reports an error with the caret under the name of an argument.
    pub(super) fn error_on_name(&mut self, given: &Given, message: impl Display) {
        self.errors.on(&given.name, message);
    }

    /// Reports an error with the caret at one place.
    pub(super) fn error_at(&mut self, span: Span, message: impl Display) {
        self.errors.at(span, message);
    }
}
