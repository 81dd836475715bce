//! Recognizes an `on_limit` that hides the refusal from the client, if its tokens show that.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Expr, ExprClosure, Pat, Stmt};

/// The look of a refused call to the client of a web service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// Like an admitted call.
    Admitted,
    /// Like a missing page.
    Missing,
}

/// Words that suggest that a value tells the client about the refusal.
const TELLING: [&str; 11] =
    ["toomany", "too_many", "status", "response", "reject", "refus", "limit", "retry", "err", "429", "503"];

/// How the result of `on_limit` looks to the client. `None` if the tokens do not show it, or if the result shows the refusal.
pub(super) fn looks(on_limit: &Expr) -> Option<Looks> {
    match on_limit {
        // `drop`, with any module path.
        Expr::Path(path) => {
            path.path.segments.last().filter(|last| last.ident == "drop").map(|_| Looks::Admitted)
        }
        Expr::Closure(closure) => value_looks(&closure.body, closure),
        _ => None,
    }
}

fn value_looks(value: &Expr, closure: &ExprClosure) -> Option<Looks> {
    match value {
        Expr::Paren(inner) => value_looks(&inner.expr, closure),
        Expr::Group(inner) => value_looks(&inner.expr, closure),
        Expr::Block(block) if block.attrs.is_empty() => block_looks(&block.block, closure),
        Expr::Tuple(tuple) if tuple.elems.is_empty() => Some(Looks::Admitted),
        Expr::Path(path) if path.path.is_ident("None") => Some(Looks::Missing),
        Expr::Call(call) => match (last_word(&call.func)?.as_str(), call.args.len()) {
            ("default", 0) => Some(Looks::Admitted),
            ("Ok" | "Some", 1) => {
                let tells = call.args.iter().any(|argument| tells(argument, closure));
                (!tells).then_some(Looks::Admitted)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The last statement decides. If a block has other statements and ends with `()`, they may have written a response, so the
/// result is unknown.
fn block_looks(block: &Block, closure: &ExprClosure) -> Option<Looks> {
    let Some((last, before)) = block.stmts.split_last() else { return Some(Looks::Admitted) };
    let Stmt::Expr(value, None) = last else { return None };
    let is_unit = matches!(value, Expr::Tuple(tuple) if tuple.elems.is_empty());
    value_looks(value, closure).filter(|_| before.is_empty() || !is_unit)
}

fn last_word(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Whether a value contains a part of the rejection, or one of the [`TELLING`] words.
fn tells(value: &Expr, closure: &ExprClosure) -> bool {
    let text = value.to_token_stream().to_string().to_lowercase();
    let of_rejection = match closure.inputs.first() {
        Some(Pat::Ident(parameter)) => mentions(value.to_token_stream(), &parameter.ident.to_string()),
        Some(Pat::Wild(_)) | None => false,
        Some(_) => true,
    };
    of_rejection || TELLING.iter().any(|word| text.contains(word))
}

/// Whether a name occurs in the tokens, also in the text of a macro such as `format!("{name}")`.
fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Literal(text) => text.to_string().contains(&format!("{{{name}")),
        TokenTree::Punct(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_sees() {
        let look = |on_limit: &str| looks(&syn::parse_str(on_limit).unwrap());
        for admitted in [
            "drop",
            "std::mem::drop",
            "|_| ()",
            "|_| {}",
            "|r: Rejection| { {} }",
            "|_| Ok(())",
            "|_| Ok(Json(vec![]))",
            "|r| Some(page)",
            "|_| Default::default()",
            "|_| Page::default()",
            "|r| { log(r); Ok(0) }",
            "move |_| (Ok(1))",
        ] {
            assert_eq!(look(admitted), Some(Looks::Admitted), "{admitted}");
        }
        for missing in ["|_| None", "|r| { log(r); None }"] {
            assert_eq!(look(missing), Some(Looks::Missing), "{missing}");
        }
        for shown in [
            "ignore",
            "|_| Err(())",
            "|r| Ok(r.into_response())",
            "|_| Ok(StatusCode::TOO_MANY_REQUESTS)",
            "|r| Some(to(&r))",
            "|_| Ok(HttpResponse::TooManyRequests().finish())",
            "|r| r.into()",
            "|_| { res.status(429); }",
            "|r| Ok(format!(\"{r}\"))",
            "|_| { res.render(\"slow down\"); () }",
            "|_| 0",
            "|_| page",
            "|_| (0, 1)",
            "|_| #[cold] {}",
            "self.refused",
        ] {
            assert_eq!(look(shown), None, "{shown}");
        }
    }
}
