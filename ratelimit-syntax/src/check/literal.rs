//! Reads literals among the values of arguments.

use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, LitStr, UnOp};

/// The string literal, if the value is one.
pub(super) fn string(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Some(literal),
        _ => None,
    }
}

/// The value of `true` or `false`. `None` for any other expression.
pub(super) fn boolean(value: &Expr) -> Option<bool> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(literal), .. }) => Some(literal.value),
        _ => None,
    }
}

/// Whether a value is a literal or a negated literal.
pub(super) fn is_literal(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) => true,
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => matches!(&**expr, Expr::Lit(_)),
        _ => false,
    }
}

/// The literal of a whole number: `60` and `60u32`, but not `60s`. `None` for any other expression.
pub(super) fn integer(value: &Expr) -> Option<&LitInt> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => {
            let whole = literal.suffix().is_empty() || literal.suffix().starts_with(['u', 'i']);
            whole.then_some(literal)
        }
        _ => None,
    }
}

/// Whether a text is a whole number, which should not be in quotes.
pub(super) fn is_digits(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok()
}
