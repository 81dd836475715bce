//! Writes values into the key: identities, and the parts of its name.

use super::spans::{borrowed, ends, located};
use crate::model::{Identity, Model};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Expr, Path};

/// Writes one value into the key, with a `writer` of `Call`. All tokens have spans of the value, so that the compiler's
/// caret is under it.
pub(super) fn written(runtime: &Path, value: &Expr, writer: &str) -> TokenStream {
    let (first, last) = ends(value);
    let value = borrowed(value);
    let writer = format_ident!("{writer}");
    let there = located(runtime, first);
    let wrapped = quote_spanned!(first=> (&&&&#there::__private::KeyPart(#value)));
    let probed = quote_spanned!(last=> #wrapped.__ratelimit_key_part());
    let writer = quote_spanned!(Span::mixed_site()=> &mut #runtime::__private::Call::#writer(&mut __call));
    let arguments = quote_spanned!(last=> (#probed, #writer));
    quote_spanned!(first=> #there::__private::Way::write #arguments;)
}

/// Imports the trait that chooses how to write a value, if there is a value.
pub(super) fn traits(model: &Model) -> Option<TokenStream> {
    let runtime = &model.runtime;
    let writes = model.members.iter().any(|member| {
        let placeholders = member.key.as_ref().is_some_and(|key| !key.placeholders.is_empty());
        placeholders || member.identities().iter().any(|identity| matches!(identity, Identity::Value(_)))
    });
    writes.then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[allow(unused_imports)]
            use #runtime::__private::ProbeKeyPart as _;
        }
    })
}
