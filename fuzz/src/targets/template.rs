//! Fuzz target `template`: compares the parser of key templates with an independent search for placeholders.

use crate::key::Template;
use proc_macro2::Span;
use quote::ToTokens;
use syn::LitStr;

pub(super) fn run(text: &str) {
    let expected = placeholders(text);
    match Template::parse(&LitStr::new(text, Span::call_site())) {
        Ok(template) => {
            let found: Vec<String> =
                template.placeholders.iter().map(|placeholder| placeholder.text.clone()).collect();
            assert!(
                expected.as_ref() == Some(&found),
                "{text:?} has the placeholders {found:?}, expected {expected:?}"
            );
            for placeholder in &template.placeholders {
                assert!(template.text.value() == text, "{text:?} was changed to {:?}", template.text.value());
                let value = placeholder.value.to_token_stream().to_string().replace(' ', "");
                let written: String = placeholder.text.chars().filter(|c| !c.is_whitespace()).collect();
                assert!(
                    !is_path(&written) || value == written,
                    "`{}` was changed to `{value}`",
                    placeholder.text
                );
                assert!(
                    value.starts_with(&placeholder.root.to_string()),
                    "`{value}` must start with `{}`",
                    placeholder.root
                );
            }
        }
        Err(messages) => {
            assert!(!messages.is_empty(), "{text:?} is rejected without a message");
            let plain = expected.is_some_and(|names| names.iter().all(|name| is_path(name)));
            assert!(!plain, "{text:?} is rejected: {messages:?}");
        }
    }
}

/// Returns the placeholders of a valid template, trimmed. `None` if the template is not valid.
fn placeholders(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return None;
    }
    let mut found = Vec::new();
    let mut placeholder: Option<String> = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, &mut placeholder) {
            ('}', Some(open)) => {
                found.push(open.trim().to_owned());
                placeholder = None;
            }
            (c, Some(open)) => open.push(c),
            ('{' | '}', None) if characters.next_if_eq(&c).is_some() => {}
            ('{', None) => placeholder = Some(String::new()),
            ('}', None) => return None,
            _ => {}
        }
    }
    placeholder.is_none().then_some(found)
}

/// Whether a placeholder is a path such as `a.b.c`, with names in lower-case ASCII.
fn is_path(placeholder: &str) -> bool {
    placeholder.split('.').all(|name| {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        plain && syn::parse_str::<syn::Ident>(name).is_ok()
    })
}
