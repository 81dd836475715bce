//! Types that generated code can write again.

use proc_macro2::TokenTree;
use quote::ToTokens;

/// Whether a type contains neither `impl Trait` nor macros. It reads tokens, because syn's visitor would slow down
/// the build of every user.
pub(super) fn is_nameable(of: impl ToTokens) -> bool {
    of.to_token_stream().into_iter().all(|token| match token {
        TokenTree::Group(group) => is_nameable(group.stream()),
        TokenTree::Ident(word) => word != "impl",
        TokenTree::Punct(sign) => sign.as_char() != '!',
        TokenTree::Literal(_) => true,
    })
}
