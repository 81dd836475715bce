//! Gives generated code the spans of an expression of the user, so that the compiler's carets are under it.

use crate::model::Runtime;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Expr;

/// Writes `&value`, with parentheses if the value needs them.
pub(super) fn borrowed(value: &Expr) -> TokenStream {
    let (first, _) = ends(value);
    let loose = matches!(
        value,
        Expr::Assign(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Closure(_) | Expr::Range(_)
    );
    if loose { quote_spanned!(first=> &(#value)) } else { quote_spanned!(first=> &#value) }
}

/// The spans of the first and the last token of an expression. The compiler draws its caret from the first to the last.
pub(super) fn ends(value: &Expr) -> (Span, Span) {
    let mut tokens = value.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let at = |span| Span::mixed_site().located_at(span);
    (at(first), at(last))
}

/// Writes the conversion of `given`, which may have any unsigned integer type, to units. The compiler's caret is under `value`.
pub(super) fn units(runtime: &Runtime, value: &Expr, given: &TokenStream) -> TokenStream {
    let (first, last) = ends(value);
    let there = runtime.at(first);
    let probed = quote_spanned!(last=> (#there::__private::UnitsOf(#given).__ratelimit_units()));
    let units = quote_spanned!(first=> #there::__private::units #probed);
    quote_spanned! {Span::mixed_site()=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::ProbeUnits as _;
            #units
        }
    }
}

/// Whether a type can be named: it contains no `impl Trait` and no macro. The function reads tokens, because syn's visitor would
/// slow down the build of every user.
pub(super) fn is_nameable(of: impl ToTokens) -> bool {
    of.to_token_stream().into_iter().all(|token| match token {
        TokenTree::Group(group) => is_nameable(group.stream()),
        TokenTree::Ident(word) => word != "impl",
        TokenTree::Punct(sign) => sign.as_char() != '!',
        TokenTree::Literal(_) => true,
    })
}
