//! Which calls are exempt, and whether the limit is only tried out.

use super::number::is_literal;
use crate::args::{Arguments, Given};
use crate::errors::Errors;
use syn::{Expr, ExprLit, Lit};

pub(super) fn skip_if(arguments: &Arguments, errors: &mut Errors) -> Option<Expr> {
    let (given, value) = condition("skip_if", arguments, errors)?;
    if let Some(skip) = literal(value) {
        let name = &given.name;
        errors.on(
            value,
            if skip {
                format!("`{name} = true` exempts every call: remove the attribute, or write `shadow = true` to try it out")
            } else {
                format!("`{name} = false` exempts no call: remove it")
            },
        );
    }
    Some(value.clone())
}

/// `false` is as if it were left out.
pub(super) fn shadow(arguments: &Arguments, errors: &mut Errors) -> Option<Expr> {
    let (_, value) = condition("shadow", arguments, errors)?;
    (literal(value) != Some(false)).then(|| value.clone())
}

/// An expression that may give a `bool`, by its form.
fn condition<'a>(name: &str, arguments: &'a Arguments, errors: &mut Errors) -> Option<(&'a Given, &'a Expr)> {
    let (given, value) = arguments.get(name).zip(arguments.value(name))?;
    let wrong = match value {
        Expr::Closure(_) => format!(
            "`{name}` is asked before the body and takes no closure: write its body alone, as in `{}`",
            given.example()
        ),
        _ if literal(value).is_none() && is_literal(value) => {
            format!("`{name}` has to be a `bool`, as in `{}`", given.example())
        }
        _ => return Some((given, value)),
    };
    errors.on(value, wrong);
    None
}

fn literal(value: &Expr) -> Option<bool> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(literal), .. }) => Some(literal.value),
        _ => None,
    }
}
