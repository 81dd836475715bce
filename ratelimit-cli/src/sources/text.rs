//! The text of an expression, as it is written.

use syn::spanned::Spanned;

/// The text on one line. Comments in it are left out.
pub(super) fn text(tokens: &(impl Spanned + quote::ToTokens)) -> String {
    let written = tokens.span().source_text().filter(|text| !text.contains("//") && !text.contains("/*"));
    let text = written.unwrap_or_else(|| tokens.to_token_stream().to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
