//! Reads the body of a function as a group of tokens, which is never parsed.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::ParseStream;

/// Reads the braces of a function, also if `macro_rules` passed them as `$body:block`.
pub fn body(input: ParseStream<'_>) -> syn::Result<Group> {
    let found: TokenTree = input.parse()?;
    let span = found.span();
    let mut next = Some(found);
    while let Some(TokenTree::Group(group)) = next {
        match group.delimiter() {
            Delimiter::Brace => return Ok(group),
            // The invisible delimiters of a `$body:block`.
            Delimiter::None => next = group.stream().into_iter().next(),
            _ => break,
        }
    }
    Err(syn::Error::new(
        span,
        "`#[rate_limit]` needs a body to guard: put it on the implementations of this method",
    ))
}

/// Splits the body of a function into its inner attributes, which must stay in front, and the rest.
pub fn split_inner_attributes(body: &Group) -> (TokenStream, Group) {
    let mut tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let mut attributes = 0;
    while let [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(_), ..] =
        &tokens[attributes..]
        && hash.as_char() == '#'
        && bang.as_char() == '!'
    {
        attributes += 3;
    }
    let rest = tokens.split_off(attributes);
    // The braces keep the user's span, so that the rules of the user's edition for temporaries apply.
    let mut block = Group::new(Delimiter::Brace, rest.into_iter().collect());
    block.set_span(body.span());
    (tokens.into_iter().collect(), block)
}
