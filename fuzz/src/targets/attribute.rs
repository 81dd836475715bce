//! The whole way: an attribute and a function, from tokens to tokens.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, LitStr, TraitItem};

/// What the attribute stands on; the first character of an input, a digit, says which. Each is called `f`, and stands
/// in a trait, where all of them may.
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
    if super::is_endless(text) {
        return;
    }
    let mut rest = text.chars();
    let Some(at) = rest.next().and_then(|first| first.to_digit(10)) else { return };
    let Ok(arguments) = rest.as_str().parse::<TokenStream>() else { return };
    let function = FUNCTIONS[at as usize];
    let Ok(item) = function.parse::<TokenStream>() else { panic!("`{function}` is a function") };
    let output = crate::attribute(arguments, item);
    let named = contains(&output, "f") || contains(&output, "F");
    assert!(named, "`{text}` loses its function");
    if contains(&output, "compile_error") {
        check_messages(output);
    } else if let Err(error) = parsed(&output) {
        panic!("`{text}` becomes no function ({error}): {output}");
    }
}

/// As a function that stands alone, or as a method.
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

/// Each `compile_error!` has a message, of one sentence that begins as one of the compiler's.
pub(super) fn check_messages(output: TokenStream) {
    let mut named = false;
    for token in output {
        match token {
            TokenTree::Ident(ident) => named = ident == "compile_error",
            TokenTree::Group(group) if named => {
                let Ok(message) = syn::parse2::<LitStr>(group.stream()) else {
                    panic!("no message: {group}")
                };
                let message = message.value();
                let begins_well = message.starts_with(|c: char| c.is_lowercase() || c == '`');
                assert!(begins_well && !message.ends_with('.'), "{message:?} is no message of a compiler");
                named = false;
            }
            _ => {}
        }
    }
}
