//! Writes the refusal of a function without a return value into one of its arguments.

use super::arguments::Named;
use super::probe::merged;
use super::spans::located;
use crate::model::Model;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Type;

/// Writes code that finds the argument by its type, among those of type `&mut _`, and writes the rejection into it. An error has
/// its caret at `place`.
pub(super) fn written(model: &Model, names: &[Named], place: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(place);
    let runtime = located(&model.runtime, at);
    let merge = Ident::new("MergeTarget", at);
    let target = merged(&merge, quote_spanned!(at=> Nothing), names.iter(), |Named { name, .. }| {
        Some(quote_spanned!(at=> Target(&mut *#name).__ratelimit_probe_target()))
    });
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{FoundTarget, MergeTarget, Nothing, ProbeTarget as _, Target};
            #[allow(clippy::used_underscore_binding)]
            FoundTarget::reject(#target, __rejection);
        }
    }
}

/// Whether a function returns nothing, as far as its tokens say it.
pub(super) fn is_unit(returned: Option<&Type>) -> bool {
    match returned {
        None => true,
        Some(Type::Tuple(tuple)) => tuple.elems.is_empty(),
        Some(_) => false,
    }
}
