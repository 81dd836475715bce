//! Reads the tokens of the value of an argument.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Expr, Token};

/// Removes parentheses around a value, and the invisible groups of `macro_rules`.
pub(crate) fn bare(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => bare(*group.expr),
        Expr::Paren(paren) => bare(*paren.expr),
        other => other,
    }
}

/// The dot at the end of a value, after which a name is missing.
pub(crate) fn last_dot(input: ParseStream<'_>) -> Option<Span> {
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '.');
    let (mut before, mut last) = (None, None);
    while !input.is_empty() && !input.peek(Token![,]) {
        before = last;
        last = input.parse::<TokenTree>().ok();
    }
    // Two dots are a range.
    let is_range = before.as_ref().is_some_and(is_dot);
    last.filter(|last| is_dot(last) && !is_range).map(|dot| dot.span())
}

/// Whether tokens contain `self`, or a placeholder for a part of it.
pub(crate) fn uses_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "self",
        TokenTree::Group(group) => uses_self(group.stream()),
        TokenTree::Literal(text) => text.to_string().contains("{self."),
        TokenTree::Punct(_) => false,
    })
}

/// Skips the rest of an argument that cannot be read.
pub(crate) fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
