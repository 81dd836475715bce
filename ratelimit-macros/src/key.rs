//! The template of a key: text with holes that are filled from the arguments of the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Index, LitStr, Token};

/// A template, as written and in parts.
pub(crate) struct Template {
    pub(crate) text: LitStr,
    pub(crate) holes: Vec<Hole>,
}

/// `{a.b.0.f()}`: a value of the function.
pub(crate) struct Hole {
    /// What stands between the braces.
    pub(crate) text: String,
    /// The argument that it starts from.
    pub(crate) root: Ident,
    steps: Vec<Step>,
    span: Span,
}

enum Step {
    Field(Ident),
    Index(Index),
    Call(Ident),
}

impl Template {
    /// Reads a template; each mistake is one message, for the caret under the literal.
    pub(crate) fn parse(literal: &LitStr) -> Result<Self, Vec<String>> {
        let text = literal.value();
        let (mut holes, mut wrong) = (Vec::new(), Vec::new());
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
            let Some((hole, after)) = inner.split_once('}') else {
                wrong.push("a `{` in `key` is never closed: write `{{` for a brace".to_owned());
                break;
            };
            match Hole::parse(hole, literal.span()) {
                Ok(hole) => holes.push(hole),
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
        if wrong.is_empty() {
            Ok(Self {
                text: literal.clone(),
                holes,
            })
        } else {
            Err(wrong)
        }
    }
}

impl Hole {
    fn parse(text: &str, span: Span) -> Result<Self, String> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err("`{}` in `key` names no argument: write its name, as in `{id}`".to_owned());
        }
        if trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "`{{{text}}}` in `key`: arguments are named, not numbered"
            ));
        }
        let parser = |input: ParseStream<'_>| Self::parse_path(input, text, span);
        let tokens: Option<TokenStream> = trimmed.parse().ok();
        tokens.and_then(|tokens| parser.parse2(tokens).ok()).ok_or_else(|| {
            if trimmed.contains(':') {
                format!("`{{{text}}}` in `key`: holes take no format, the value is written as it displays")
            } else {
                format!(
                    "`{{{text}}}` in `key` is more than a value of an argument: only `{{a}}`, `{{a.b}}`, `{{a.0}}` and `{{a.f()}}` can be filled in"
                )
            }
        })
    }

    fn parse_path(input: ParseStream<'_>, text: &str, span: Span) -> syn::Result<Self> {
        let mut root = input.call(Ident::parse_any)?;
        root.set_span(span);
        let mut steps = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![.]>()?;
            steps.push(Step::parse(input, span)?);
        }
        Ok(Self {
            text: text.trim().to_owned(),
            root,
            steps,
            span,
        })
    }
}

impl Step {
    fn parse(input: ParseStream<'_>, span: Span) -> syn::Result<Self> {
        if input.peek(syn::LitInt) {
            let mut index: Index = input.parse()?;
            index.span = span;
            return Ok(Self::Index(index));
        }
        let mut name: Ident = input.parse()?;
        name.set_span(span);
        if !input.peek(syn::token::Paren) {
            return Ok(Self::Field(name));
        }
        let arguments;
        syn::parenthesized!(arguments in input);
        if arguments.is_empty() {
            Ok(Self::Call(name))
        } else {
            Err(arguments.error("no arguments"))
        }
    }
}

impl ToTokens for Hole {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let root = &self.root;
        let mut path = root.to_token_stream();
        for step in &self.steps {
            path = match step {
                Step::Field(name) => quote_spanned!(self.span=> #path.#name),
                Step::Index(index) => quote_spanned!(self.span=> #path.#index),
                Step::Call(name) => quote_spanned!(self.span=> #path.#name()),
            };
        }
        tokens.extend(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes(text: &str) -> Result<Vec<String>, Vec<String>> {
        let template = Template::parse(&LitStr::new(text, Span::call_site()))?;
        Ok(template
            .holes
            .iter()
            .map(|hole| hole.to_token_stream().to_string().replace(' ', ""))
            .collect())
    }

    #[test]
    fn holes_are_paths_of_values() {
        assert_eq!(holes("login"), Ok(vec![]));
        assert_eq!(
            holes("r:{a}:{a.b}:{a.0}:{ a.f() }:{self.tenant.id}").unwrap(),
            ["a", "a.b", "a.0", "a.f()", "self.tenant.id"]
        );
        assert_eq!(holes("{{a}}{b}}}"), Ok(vec!["b".to_owned()]));
    }

    #[test]
    fn each_mistake_is_named() {
        let wrong = |text: &str| holes(text).unwrap_err().join("\n");
        assert!(wrong("").contains("is empty"));
        assert!(wrong("{}").contains("names no argument"));
        assert!(wrong("{0}").contains("not numbered"));
        assert!(wrong("{a:?}").contains("no format"));
        assert!(wrong("{a + b}").contains("more than a value"));
        assert!(wrong("{a.f(1)}").contains("more than a value"));
        assert!(wrong("{a").contains("never closed"));
        assert!(wrong("a}").contains("no `{` before"));
        assert_eq!(holes("{} {0} }").unwrap_err().len(), 3);
    }
}
