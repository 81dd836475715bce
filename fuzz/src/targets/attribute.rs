//! Fuzz target `attribute`: expands an attribute on a function, from tokens to tokens.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, LitStr, TraitItem};

/// The items to which the attribute is applied. The first character of an input is a digit that selects an item. Each item is
/// called `f`, and is placed in a trait, where all of them are allowed.
pub const FUNCTIONS: [&str; 10] = [
    "async fn f() {}",
    "pub async fn f(id: u64, user: &User) -> Result<u8, Error> { go(id).await }",
    "async fn f(&self, peer: SocketAddr, (a, b): (u8, u8)) -> R { #![allow(x)] if a { return 1 } b }",
    "async fn f<'a, T: Into<A>, const N: usize>(mut self, a: &'a [T; N], _: X) -> Result<impl A, E> where T: B { 1 }",
    "async fn f(ConnectInfo(peer): ConnectInfo<SocketAddr>, Json(id): Json<Id>) -> impl IntoResponse { .. }",
    "#[rate_limit(time = \"1s\", count = 3)] #[instrument(skip(a))] async fn f(a: A, id: u8) -> Result<(), E> { x; }",
    "fn f<'a>(&'a self, a: A) -> Pin<Box<dyn Future<Output = R> + 'a>> { Box::pin(async move { let __self = self; let __ret: R = { a }; __ret }) }",
    "unsafe extern \"C\" fn f(a: u8) -> u8 { a }",
    "struct F { a: u8 }",
    "async fn f(a: u8);",
];

pub(super) fn run(text: &str) {
    if super::has_many_ranges(text) {
        return;
    }
    let mut rest = text.chars();
    let Some(at) = rest.next().and_then(|first| first.to_digit(10)) else { return };
    let Ok(arguments) = rest.as_str().parse::<TokenStream>() else { return };
    let function = FUNCTIONS[at as usize];
    let Ok(item) = function.parse::<TokenStream>() else { panic!("`{function}` does not parse") };
    let output = crate::attribute(arguments, item);
    let named = contains(&output, "f") || contains(&output, "F");
    assert!(named, "the expansion of `{text}` does not contain the function");
    if contains(&output, "compile_error") {
        check_messages(output);
    } else if let Err(error) = parsed(&output) {
        panic!("the expansion of `{text}` does not parse ({error}): {output}");
    }
}

/// Parses the output as a free function, or as a method.
fn parsed(output: &TokenStream) -> syn::Result<()> {
    syn::parse2::<Item>(output.clone())
        .map(drop)
        .or_else(|_| syn::parse2::<TraitItem>(output.clone()).map(drop))
}

fn contains(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => contains(&group.stream(), word),
        _ => false,
    })
}

/// Checks that each `compile_error!` has a message in the compiler's style: it starts in lower case and has no full stop.
pub(super) fn check_messages(output: TokenStream) {
    let mut named = false;
    for token in output {
        match token {
            TokenTree::Ident(ident) => named = ident == "compile_error",
            TokenTree::Group(group) if named => {
                let Ok(message) = syn::parse2::<LitStr>(group.stream()) else {
                    panic!("`compile_error!` without a message: {group}")
                };
                let message = message.value();
                let starts_well = message.starts_with(|c: char| c.is_lowercase() || c == '`');
                assert!(
                    starts_well && !message.ends_with('.'),
                    "{message:?} must start in lower case and have no full stop"
                );
                named = false;
            }
            _ => {}
        }
    }
}
