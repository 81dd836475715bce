//! Templates of keys, beside a count of their holes that shares nothing with the attribute's.

use crate::key::Template;
use proc_macro2::Span;
use quote::ToTokens;
use syn::LitStr;

pub(super) fn run(text: &str) {
    let expected = holes(text);
    match Template::parse(&LitStr::new(text, Span::call_site())) {
        Ok(template) => {
            let found: Vec<String> = template.holes.iter().map(|hole| hole.text.clone()).collect();
            assert!(expected.as_ref() == Some(&found), "{text:?} has {found:?} and should have {expected:?}");
            for hole in &template.holes {
                assert!(template.text.value() == text, "{text:?} has become {:?}", template.text.value());
                let value = hole.value.to_token_stream().to_string().replace(' ', "");
                let written: String = hole.text.chars().filter(|c| !c.is_whitespace()).collect();
                assert!(!is_path(&written) || value == written, "`{}` has become `{value}`", hole.text);
                assert!(value.starts_with(&hole.root.to_string()), "`{value}` starts with `{}`", hole.root);
            }
        }
        Err(messages) => {
            assert!(!messages.is_empty(), "{text:?} is refused without a word");
            let plain = expected.is_some_and(|holes| holes.iter().all(|hole| is_path(hole)));
            assert!(!plain, "{text:?} is refused: {messages:?}");
        }
    }
}

/// The holes of a template that is whole, without the space around them.
fn holes(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return None;
    }
    let mut found = Vec::new();
    let mut hole: Option<String> = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, &mut hole) {
            ('}', Some(open)) => {
                found.push(open.trim().to_owned());
                hole = None;
            }
            (c, Some(open)) => open.push(c),
            ('{' | '}', None) if characters.next_if_eq(&c).is_some() => {}
            ('{', None) => hole = Some(String::new()),
            ('}', None) => return None,
            _ => {}
        }
    }
    hole.is_none().then_some(found)
}

/// `a.b.c` of words that are certainly names.
fn is_path(hole: &str) -> bool {
    hole.split('.').all(|name| {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        plain && syn::parse_str::<syn::Ident>(name).is_ok()
    })
}
