//! What a refused call returns.

use super::place::{ends, located};
use crate::item::Item;
use crate::model::Model;
use proc_macro2::{Group, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Path, ReturnType, Type, parse_quote, parse_quote_spanned};

/// Makes the return value of a rejection.
pub(super) fn reject(model: &Model, returned: Option<&Type>, function: Span) -> TokenStream {
    let runtime = &model.runtime;
    let at = Span::mixed_site();
    if let Some(on_limit) = &model.on_limit {
        // All of it has the place of the user's value, for the caret of the compiler.
        let (first, last) = ends(on_limit);
        let runtime = located(runtime, first);
        let arguments = quote_spanned!(last=> (#on_limit, rejection));
        return quote_spanned!(first=> #runtime::__private::on_limit #arguments);
    }
    let returned = nameable(returned, function);
    quote_spanned!(at=> <#returned as #runtime::FromRejection>::from_rejection(rejection))
}

/// The return type, where types are named.
pub(super) fn nameable(returned: Option<&Type>, function: Span) -> Type {
    // A unit that nobody has written is found under the name of the function.
    let unit = || parse_quote_spanned!(function=> ());
    let mut returned = returned.cloned().unwrap_or_else(unit);
    EraseOpaque.visit_type_mut(&mut returned);
    returned
}

/// `impl Trait` cannot be named in a path; inference finds it.
struct EraseOpaque;

impl VisitMut for EraseOpaque {
    fn visit_type_mut(&mut self, node: &mut Type) {
        if matches!(node, Type::ImplTrait(_)) {
            *node = parse_quote!(_);
        } else {
            syn::visit_mut::visit_type_mut(self, node);
        }
    }
}

/// `-> impl Trait` becomes `-> Result<impl Trait, Rejection>`: an opaque type cannot be made of a rejection.
pub(super) fn widen(item: &mut Item, runtime: &Path) {
    if let ReturnType::Type(_, output) = &mut item.signature.output {
        let opaque = output.clone();
        **output = parse_quote!(::core::result::Result<#opaque, #runtime::Rejection>);
    }
}

/// What a refused call of a widened function returns, and what its body becomes. The block of its own is for the
/// `return`s in it.
pub(super) fn widened(body: &Group, afterwards: &TokenStream) -> (TokenStream, TokenStream) {
    let at = Span::mixed_site();
    let value = quote!(async move #body.await);
    let body = if afterwards.is_empty() {
        quote!(::core::result::Result::Ok(#value))
    } else {
        quote_spanned!(at=> let result = #value; #afterwards ::core::result::Result::Ok(result))
    };
    (quote_spanned!(at=> ::core::result::Result::Err(rejection)), body)
}
