//! Checks `lease`: the number of units, and whether the limit can have a lease.

use super::checker::Checker;
use super::literal::{boolean, is_digits, string};
use crate::model::{Algorithm, Lease};
use crate::suggest::nearest;
use syn::Expr;

/// The word for a lease whose size follows from the numbers of the limit.
const AUTO: &str = "auto";

/// Words of other libraries for `auto`.
const FOREIGN: [&str; 3] = ["automatic", "adaptive", "dynamic"];

impl Checker<'_> {
    pub(super) fn lease(&mut self) -> Option<Lease> {
        let value = self.value("lease")?;
        let not_a_lease =
            || Some(format!("`lease` must be a number of units, as in `lease = 50`, or `\"{AUTO}\"`"));
        let wrong = match (string(value), boolean(value)) {
            (Some(literal), _) => match literal.value().as_str() {
                AUTO => return Some(Lease::Auto(literal.span())),
                number if is_digits(number) => None,
                other if is_auto(other) => Some(format!("unknown lease `{other}`; did you mean `{AUTO}`?")),
                _ => not_a_lease(),
            },
            (None, Some(_)) => not_a_lease(),
            _ => self
                .is_bare_auto(value)
                .then(|| format!("`lease` takes a word in quotes: write `lease = \"{AUTO}\"`")),
        };
        if let Some(wrong) = wrong {
            self.error(value, wrong);
            return None;
        }
        self.number("lease").map(Lease::Most)
    }

    fn is_bare_auto(&self, value: &Expr) -> bool {
        let Expr::Path(path) = value else { return false };
        path.path.get_ident().is_some_and(|word| word == AUTO && self.item.unknown_name(word).is_some())
    }

    /// Reports a lease of a limit whose units only the store can hand out.
    pub(super) fn check_takes_lease(&mut self, algorithm: Algorithm) {
        let Some(given) = self.given("lease").filter(|_| self.arguments.complete) else { return };
        if let Algorithm::Concurrency = algorithm {
            self.error_on_name(
                given,
                "`lease` is for units, and the lease of a permit is `time`: write `time` instead of `lease`",
            );
            return;
        }
        if let Err(violation) = algorithm.check_takes_lease(false) {
            self.error_on_name(given, violation);
        }
        for other in ["wait", "refund_if", "settle", "pause_if"] {
            if self.given(other).is_some() {
                self.error_on_name(
                    given,
                    format!("`lease` and `{other}` exclude each other: leased units are handed out without asking the store, so remove one of them"),
                );
            }
        }
    }
}

fn is_auto(text: &str) -> bool {
    let plain = text.to_lowercase();
    FOREIGN.contains(&plain.as_str()) || nearest(&plain, [AUTO].into_iter()).is_some()
}
