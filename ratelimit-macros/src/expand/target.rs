//! Finds the argument that is the response, for functions that do not return their response.

use super::arguments::{Named, merged};
use crate::model::Model;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

/// Writes code that finds the response among the arguments of type `&mut _`, by its type, and writes the rejection into it. A
/// compiler error has its caret at `place`.
pub(super) fn written(model: &Model, names: &[Named], place: Span, may_be_of_a_trait: bool) -> TokenStream {
    let at = Span::mixed_site().located_at(place);
    let (runtime, target) = (model.runtime.at(at), found(names, at));
    let found = Ident::new(if may_be_of_a_trait { "FoundTargetOfMethod" } else { "FoundTarget" }, at);
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{#found, MergeTarget, Nothing, ProbeTarget as _, Target};
            #[allow(clippy::used_underscore_binding)]
            #found::reject(#target, __rejection);
        }
    }
}

/// Writes code that finds the response among the arguments, by its type, and holds `lasting` in its body if the `result` is not
/// an error.
pub(super) fn holding(
    model: &Model,
    names: &[Named],
    returned: Option<&Type>,
    function: Span,
) -> TokenStream {
    let at = Span::mixed_site().located_at(returned.map_or(function, Spanned::span));
    let (runtime, target) = (model.runtime.at(at), found(names, at));
    quote_spanned! {at=>
        if #runtime::__private::Written::is_written(&__result) {
            #[allow(unused_imports)]
            use #runtime::__private::{FoundBody, MergeTarget, Nothing, ProbeTarget as _, Target};
            #[allow(clippy::used_underscore_binding)]
            FoundBody::hold(#target, __held);
        }
    }
}

fn found(names: &[Named], at: Span) -> TokenStream {
    let merge = Ident::new("MergeTarget", at);
    merged(&merge, quote_spanned!(at=> Nothing), names.iter(), |Named { name, .. }| {
        Some(quote_spanned!(at=> Target(&mut *#name).__ratelimit_probe_target()))
    })
}

/// Lends the arguments to the body, so that they are still available after it.
pub(super) fn lent(names: &[Named]) -> TokenStream {
    let at = Span::mixed_site();
    let lent = names.iter().map(|Named { name, conditions, .. }| {
        quote_spanned! {at=>
            #(#conditions)*
            #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
            let mut #name = &mut *#name;
        }
    });
    lent.collect()
}

/// Whether the response of a function may be in an argument: the function returns `()` or `Result<(), E>`, as far as the tokens
/// show it.
pub(super) fn is_in_argument(returned: Option<&Type>) -> bool {
    let Some(Type::Path(path)) = returned else { return is_unit(returned) };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    matches!(arguments.args.first(), Some(GenericArgument::Type(first)) if is_unit(Some(first)))
}

/// Whether a function returns `()`, as far as the tokens show it.
pub(super) fn is_unit(returned: Option<&Type>) -> bool {
    match returned {
        None => true,
        Some(Type::Tuple(tuple)) => tuple.elems.is_empty(),
        Some(_) => false,
    }
}
