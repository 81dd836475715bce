//! Gives generated code the spans of an expression of the user, so that the compiler's carets are under it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Path};

/// Writes `&value`, with parentheses if the value needs them.
pub(super) fn borrowed(value: &Expr) -> TokenStream {
    let (first, _) = ends(value);
    let loose = matches!(
        value,
        Expr::Assign(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Closure(_) | Expr::Range(_)
    );
    if loose { quote_spanned!(first=> &(#value)) } else { quote_spanned!(first=> &#value) }
}

/// Moves a path to another span, with its own hygiene.
pub(super) fn located(path: &Path, place: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    tokens
        .map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        })
        .collect()
}

/// The spans of the first and the last token of an expression. The compiler draws its caret from one to the other.
pub(super) fn ends(value: &Expr) -> (Span, Span) {
    let mut tokens = value.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let at = |span| Span::mixed_site().located_at(span);
    (at(first), at(last))
}
