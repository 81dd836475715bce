//! Code around an expression of the user's, in the place of that expression: so the compiler's carets are under it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Path};

/// `&value`, also where the value is an operation that binds less tightly.
pub(super) fn borrowed(value: &Expr) -> TokenStream {
    let (first, _) = ends(value);
    let loose = matches!(
        value,
        Expr::Assign(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Closure(_) | Expr::Range(_)
    );
    if loose { quote_spanned!(first=> &(#value)) } else { quote_spanned!(first=> &#value) }
}

/// A path, as if it had been written at another place.
pub(super) fn located(path: &Path, place: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    tokens
        .map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        })
        .collect()
}

/// The places of the first and the last token of an expression, for code that stands around it: the compiler draws
/// its caret from the one to the other.
pub(super) fn ends(value: &Expr) -> (Span, Span) {
    let mut tokens = value.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let at = |span| Span::mixed_site().located_at(span);
    (at(first), at(last))
}
