//! What the other attributes of a function say about the operation that it handles.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, LitStr, Meta, parse2};

/// The methods that an operation can have.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The operation of a handler, as far as `#[utoipa::path]`, `#[oai]`, `#[endpoint]` or `#[get]` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) operation_id: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
}

impl Handler {
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut handler = Self::default();
        for attribute in attributes {
            let Meta::List(list) = &attribute.meta else { continue };
            let name = list.path.segments.last().map(|name| name.ident.to_string()).unwrap_or_default();
            if METHODS.contains(&name.as_str()) {
                handler.read(list.tokens.clone());
                handler.method = Some(name);
            } else if matches!(name.as_str(), "path" | "oai" | "endpoint") {
                handler.read(list.tokens.clone());
            }
        }
        handler
    }

    /// Reads `get`, `"/path"`, `path = "/path"`, `method = "get"` and `operation_id = "id"`.
    fn read(&mut self, tokens: TokenStream) {
        let mut name = String::new();
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    name = word.to_string();
                    if METHODS.contains(&name.as_str()) {
                        self.method = Some(name.clone());
                    }
                }
                TokenTree::Literal(literal) => {
                    let text =
                        parse2::<LitStr>(TokenTree::from(literal).into()).ok().map(|text| text.value());
                    match name.as_str() {
                        "operation_id" => self.operation_id = text,
                        "method" => self.method = text.map(|method| method.to_lowercase()),
                        "path" | "" => self.path = text,
                        _ => {}
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ',' => name.clear(),
                _ => {}
            }
        }
    }
}
