//! Checks `skip_if` and `shadow`.

use super::checker::Checker;
use super::literal::{boolean, is_literal};
use crate::args::Given;
use crate::model::Shadow;
use syn::Expr;

impl<'c> Checker<'c> {
    pub(super) fn skip_if(&mut self) -> Option<Expr> {
        let (given, value) = self.condition("skip_if")?;
        if let Some(skip) = boolean(value) {
            let name = &given.name;
            self.error(
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

    /// Reads `shadow`: whether the limit only reports. `shadow = false` means the same as no `shadow`.
    pub(super) fn shadow(&mut self) -> Shadow {
        match self.condition("shadow").map(|(_, value)| (value, boolean(value))) {
            None | Some((_, Some(false))) => Shadow::Never,
            Some((_, Some(true))) => Shadow::Always,
            Some((value, None)) => Shadow::If(value.clone()),
        }
    }

    /// The value of an argument if its form can be a `bool`. Reports any other form.
    fn condition(&mut self, name: &str) -> Option<(&'c Given, &'c Expr)> {
        let (given, value) = self.given(name).zip(self.value(name))?;
        let wrong = match value {
            Expr::Closure(_) => format!(
                "`{name}` is evaluated before the body and takes no closure: write its body alone, as in `{}`",
                given.example()
            ),
            _ if boolean(value).is_none() && is_literal(value) => {
                format!("`{name}` must be a `bool`, as in `{}`", given.example())
            }
            _ => return Some((given, value)),
        };
        self.error(value, wrong);
        None
    }
}
