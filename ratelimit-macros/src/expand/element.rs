//! Values that are written into the key: identities, and the parts of its name.

use super::place::{borrowed, ends, located};
use crate::model::{Identity, Model};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Expr, Path};

/// Writes one value into the key. All of it has the place of the value, for the caret of the compiler.
pub(super) fn element(runtime: &Path, value: &Expr, place: &str) -> TokenStream {
    let (first, last) = ends(value);
    let value = borrowed(value);
    let place = format_ident!("{place}");
    let there = located(runtime, first);
    let wrapped = quote_spanned!(first=> (&&&&#there::__private::Element(#value)));
    let element = quote_spanned!(last=> #wrapped.__ratelimit_element());
    let writer = quote_spanned!(Span::mixed_site()=> &mut #runtime::__private::Call::#place(&mut call));
    let arguments = quote_spanned!(last=> (#element, #writer));
    quote_spanned!(first=> #there::__private::Way::write #arguments;)
}

/// The traits that tell how to write a value, if there are any.
pub(super) fn traits(model: &Model) -> Option<TokenStream> {
    let runtime = &model.runtime;
    let writes = model.members.iter().any(|member| {
        let holes = member.key.as_ref().is_some_and(|key| !key.holes.is_empty());
        holes || member.identities().iter().any(|identity| matches!(identity, Identity::Value(_)))
    });
    writes.then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[allow(unused_imports)]
            use #runtime::__private::{
                ElementDisplay as _, ElementIdentity as _, ElementOther as _, ElementUser as _,
            };
        }
    })
}
