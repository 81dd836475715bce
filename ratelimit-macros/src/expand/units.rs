//! Writes a number of units that an expression gives: a cost, or the result of `settle`.

use super::spans::{ends, located};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, Path};

/// Writes the units that `given` evaluates to, which may be any unsigned integer. The compiler's caret is under `value`.
pub(super) fn written(runtime: &Path, value: &Expr, given: &TokenStream) -> TokenStream {
    let (first, last) = ends(value);
    let there = located(runtime, first);
    let probed = quote_spanned!(last=> (#there::__private::Given(#given).__ratelimit_units()));
    let units = quote_spanned!(first=> #there::__private::units #probed);
    quote_spanned! {Span::mixed_site()=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::ProbeUnits as _;
            #units
        }
    }
}
