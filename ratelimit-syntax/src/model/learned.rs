//! Reads `learn(ceiling)` and `learn(ceiling, class)`, which are the whole `cost` of a limit.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, ExprCall};

/// The word that looks like a function in the value of `cost`.
pub const LEARN: &str = "learn";

/// The arguments of `learn`.
pub struct Learned<'e> {
    pub ceiling: &'e Expr,
    pub class: Option<&'e Expr>,
}

impl<'e> Learned<'e> {
    /// Reads a cost. `None` if it does not call `learn`, or not with one or two arguments.
    pub fn of(cost: &'e Expr) -> Option<Self> {
        let mut arguments = call_of_learn(cost)?.args.iter();
        match (arguments.next(), arguments.next(), arguments.next()) {
            (Some(ceiling), class, None) => Some(Self { ceiling, class }),
            _ => None,
        }
    }
}

/// The call, if the whole value calls `learn`. A function of the user with this name has a path, such as `self::learn`.
pub fn call_of_learn(value: &Expr) -> Option<&ExprCall> {
    match value {
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            (path.qself.is_none() && path.path.is_ident(LEARN)).then_some(call)
        }
        _ => None,
    }
}

/// The place of the word `learn` in a value that calls it somewhere.
pub fn place_of_learn(tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_path = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) => {
                let is_call = matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                if word == LEARN && is_call && !is_path {
                    return Some(word.span());
                }
                is_path = false;
            }
            TokenTree::Group(group) => match place_of_learn(group.stream()) {
                None => is_path = false,
                found => return found,
            },
            TokenTree::Punct(sign) => is_path = matches!(sign.as_char(), '.' | ':'),
            TokenTree::Literal(_) => is_path = false,
        }
    }
    None
}
