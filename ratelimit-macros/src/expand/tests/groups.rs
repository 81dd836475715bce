//! Code in invisible groups, which `macro_rules` leave, and in parentheses.

use super::shapes::code;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// `macro_rules` puts invisible groups around types and values. People write parentheses around them.
#[test]
fn groups_change_nothing() {
    let until = "algorithm = \"concurrency\", until = \"body_end\"";
    for (arguments, item) in [
        ("count = 5", "async fn f(a: w![Option<Query<A>>]) -> w![Result<w![Json<A>], E>] {}"),
        ("count = 5", "async fn f() -> Result<w![impl A], E> {}"),
        ("count = 5", "fn f() -> w![impl Future<Output = Result<(), E>>] { async move { g().await } }"),
        ("count = 5", "async fn f() -> Result<A, (w![StatusCode], B)> {}"),
        ("on_limit = |_| w![Ok(1)]", "async fn f() -> (StatusCode, Json<Page>) {}"),
        ("count = 5", "fn f() -> Pin<w![Box<dyn Future<Output = A>>]> { async move { g().await } }"),
        (until, "async fn f(a: w![&mut A]) {}"),
        (until, "async fn f() -> Result<w![Sse<A>], E> {}"),
        ("algorithm = \"concurrency\"", "async fn f() -> (StatusCode, w![Sse<impl A>]) {}"),
    ] {
        let code =
            |wrap| code(wrapped(arguments.parse().unwrap(), wrap), wrapped(item.parse().unwrap(), wrap));
        assert_eq!(code(Some(Delimiter::None)), code(None), "{item}");
        let bare = |wrap| code(wrap).replace(['(', ')'], "");
        assert_eq!(bare(Some(Delimiter::Parenthesis)), bare(None), "{item}");
    }
}

/// `macro_rules` also puts an invisible group around a `$body:block`.
#[test]
fn a_body_may_be_in_a_group() {
    let code =
        |wrap| code("count = 5".parse().unwrap(), wrapped("async fn f() w![{ g() }]".parse().unwrap(), wrap));
    assert_eq!(code(Some(Delimiter::None)), code(None));
}

/// Replaces each `w![..]` by its content, in a group with the delimiter `wrap` if one is given.
fn wrapped(code: TokenStream, wrap: Option<Delimiter>) -> TokenStream {
    let mut tokens = code.into_iter();
    let mut written = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "w" => {
                let Some(TokenTree::Group(content)) = tokens.nth(1) else { panic!("expected `w![..]`") };
                let content = wrapped(content.stream(), wrap);
                match wrap {
                    Some(delimiter) => written.extend([TokenTree::Group(Group::new(delimiter, content))]),
                    None => written.extend(content),
                }
            }
            TokenTree::Group(group) => {
                let inner = wrapped(group.stream(), wrap);
                written.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => written.extend([other]),
        }
    }
    written
}
