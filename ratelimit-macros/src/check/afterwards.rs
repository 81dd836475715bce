//! What the result of the body decides about the charge.

use super::number::is_literal;
use crate::args::Arguments;
use crate::errors::Errors;
use crate::model::{Afterwards, Algorithm, Limit, Verdict};
use syn::Expr;

pub(super) fn afterwards(arguments: &Arguments, limit: &Limit, errors: &mut Errors) -> Option<Afterwards> {
    let mut given =
        Verdict::ALL.into_iter().filter_map(|verdict| Some((verdict, arguments.get(verdict.name())?)));
    let (verdict, first) = given.next()?;
    for (other, given) in given {
        let (first, other) = (verdict.name(), other.name());
        errors.on(
            &given.name,
            format!("`{other}` and `{first}` exclude each other: keep the one that says what the call costs"),
        );
    }
    if let Limit::Parts(parts) = limit
        && matches!(parts.algorithm, Algorithm::Concurrency)
    {
        let name = &first.name;
        errors.on(
            name,
            format!("`{name}` is of no use with `concurrency`: a permit comes back by itself when the function ends, so remove it"),
        );
    }
    if let (Verdict::ChargeIf, Some(_)) = (verdict, arguments.get("wait")) {
        errors.on(
            &first.name,
            "`charge_if` has no turn to wait for, since it charges after the body: remove `wait`, or write `refund_if`",
        );
    }
    let judge = arguments.value(verdict.name())?;
    if is_no_function(judge) {
        let (name, example) = (&first.name, first.example());
        errors.on(judge, format!("`{name}` has to be a function from the result, as in `{example}`"));
    }
    Some(Afterwards { verdict, judge: judge.clone() })
}

/// What cannot be a function by its form.
fn is_no_function(value: &Expr) -> bool {
    is_literal(value) || matches!(value, Expr::Binary(_) | Expr::Tuple(_) | Expr::Array(_))
}
