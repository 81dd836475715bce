//! Checks `refund_if` and `settle`, whose functions decide about the charge when they see the result of the body.

use super::checker::Checker;
use super::literal::is_literal;
use crate::args::Given;
use crate::model::{Afterwards, Verdict};
use syn::Expr;

impl Checker<'_> {
    pub(super) fn afterwards(&mut self) -> Option<Afterwards> {
        let arguments = self.arguments;
        let mut given =
            Verdict::ALL.into_iter().filter_map(|verdict| Some((verdict, arguments.get(verdict.name())?)));
        let (verdict, first) = given.next()?;
        let judge = self.function_of_result(first)?;
        Some(Afterwards { verdict, judge })
    }

    /// The value of an argument that must be a function of the result. Reports a value that is certainly not a function.
    pub(super) fn function_of_result(&mut self, given: &Given) -> Option<Expr> {
        let (name, example) = (&given.name, given.example());
        let judge = self.value(&name.to_string())?;
        if !matches!(judge, Expr::Path(_)) && uses_result(judge) {
            self.error(
                judge,
                format!("`{name}` takes a function of the result: write `|result|` in front of the value"),
            );
        } else if cannot_be_a_function(judge) {
            self.error(judge, format!("`{name}` must be a function of the result, as in `{example}`"));
        }
        Some(judge.clone())
    }
}

/// Whether the user forgot `|result|`, as in `result.is_ok()`.
fn uses_result(value: &Expr) -> bool {
    match value {
        Expr::MethodCall(call) => uses_result(&call.receiver),
        Expr::Field(field) => uses_result(&field.base),
        Expr::Path(path) => path.path.is_ident("result"),
        _ => false,
    }
}

fn cannot_be_a_function(value: &Expr) -> bool {
    is_literal(value) || matches!(value, Expr::Binary(_) | Expr::Tuple(_) | Expr::Array(_))
}
