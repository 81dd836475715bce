//! Parses the template of a key: text with placeholders for values of the function's arguments.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use syn::{Expr, Ident, LitStr};

/// A template, with its text and its placeholders.
pub struct Template {
    pub text: LitStr,
    pub placeholders: Vec<Placeholder>,
}

/// A placeholder: `{a.b.0.f()}`.
pub struct Placeholder {
    /// The text between the braces.
    pub text: String,
    /// The first name, which must be an argument or `self`.
    pub root: Ident,
    /// The expression between the braces, with the spans of the literal.
    pub value: Expr,
}

impl Template {
    /// Parses a template. On failure, returns one message for each mistake.
    pub fn parse(literal: &LitStr) -> Result<Self, Vec<String>> {
        let text = literal.value();
        let (mut placeholders, mut wrong) = (Vec::new(), Vec::new());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let brace = &rest[at..];
            if brace.starts_with("{{") || brace.starts_with("}}") {
                rest = &brace[2..];
                continue;
            }
            let Some(inner) = brace.strip_prefix('{') else {
                wrong.push("a `}` in `key` has no `{` before it: write `}}` for a brace".to_owned());
                rest = &brace[1..];
                continue;
            };
            let Some((placeholder, after)) = inner.split_once('}') else {
                wrong.push("a `{` in `key` is never closed: write `{{` for a brace".to_owned());
                break;
            };
            match Placeholder::parse(placeholder, literal.span()) {
                Ok(placeholder) => placeholders.push(placeholder),
                Err(message) => wrong.push(message),
            }
            rest = after;
        }
        if text.is_empty() {
            wrong.push(
                "`key` is empty: give the limit a name, or leave `key` out to use the function's path"
                    .to_owned(),
            );
        }
        if wrong.is_empty() { Ok(Self { text: literal.clone(), placeholders }) } else { Err(wrong) }
    }
}

impl Placeholder {
    fn parse(text: &str, span: Span) -> Result<Self, String> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err("`{}` in `key` names no argument: write its name, as in `{id}`".to_owned());
        }
        if trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "`{{{text}}}` in `key` is a number; expected the name of an argument, as in `{{id}}`"
            ));
        }
        // Text with other characters is not lexed, because the compiler's lexer could report additional errors.
        let lexes =
            trimmed.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '(' | ')' | '#'));
        let tokens: Option<TokenStream> = if lexes { trimmed.parse().ok() } else { None };
        let value: Option<Expr> = tokens.and_then(|tokens| syn::parse2(respan(tokens, span)).ok());
        let rooted = value.and_then(|value| Some((root(&value)?.clone(), value)));
        let (root, value) = rooted.ok_or_else(|| not_a_value(text))?;
        Ok(Self { text: trimmed.to_owned(), root, value })
    }
}

fn not_a_value(text: &str) -> String {
    if text.contains(':') && !text.contains("::") {
        let (value, _) = text.split_once(':').unwrap_or((text, ""));
        format!("`{{{text}}}` in `key` has a format, and a placeholder takes none: write `{{{value}}}`")
    } else {
        format!(
            "`{{{text}}}` in `key` is not the value of an argument; expected `{{a}}`, `{{a.b}}`, `{{a.0}}` or `{{a.f()}}`"
        )
    }
}

/// The first name of an expression that only reads fields and calls methods without arguments. `None` for any other expression.
fn root(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Field(field) => root(&field.base),
        Expr::MethodCall(call) if call.args.is_empty() && call.turbofish.is_none() => root(&call.receiver),
        _ => None,
    }
}

/// Gives the first name the hygiene of the user's code, and the other tokens the hygiene of the macro. With this hygiene, an
/// error of the compiler points to the literal, but does not suggest to replace it.
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let ours = Span::mixed_site().located_at(span);
    let respanned = tokens.into_iter().enumerate().map(|(i, mut token)| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), respan(group.stream(), span)).into();
        }
        token.set_span(if i == 0 { span } else { ours });
        token
    });
    respanned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn placeholders(text: &str) -> Result<Vec<String>, Vec<String>> {
        let template = Template::parse(&LitStr::new(text, Span::call_site()))?;
        Ok(template
            .placeholders
            .iter()
            .map(|placeholder| placeholder.value.to_token_stream().to_string().replace(' ', ""))
            .collect())
    }

    #[test]
    fn placeholders_are_paths_of_values() {
        assert_eq!(placeholders("login"), Ok(vec![]));
        assert_eq!(
            placeholders("r:{a}:{a.b}:{a.0.1}:{ a.f() }:{self.tenant.id}").unwrap(),
            ["a", "a.b", "a.0.1", "a.f()", "self.tenant.id"]
        );
        assert_eq!(placeholders("{{a}}{b}}}"), Ok(vec!["b".to_owned()]));
    }

    #[test]
    fn each_mistake_is_named() {
        let wrong = |text: &str| placeholders(text).unwrap_err().join("\n");
        assert!(wrong("").contains("is empty"));
        assert!(wrong("{}").contains("names no argument"));
        assert!(wrong("{0}").contains("is a number"));
        assert!(wrong("{a:?}").contains("takes none: write `{a}`"));
        assert!(wrong("{a + b}").contains("not the value of an argument"));
        assert!(wrong("{a.f(1)}").contains("not the value of an argument"));
        assert!(wrong("{a").contains("never closed"));
        assert!(wrong("a}").contains("no `{` before"));
        assert_eq!(placeholders("{} {0} }").unwrap_err().len(), 3);
    }
}
