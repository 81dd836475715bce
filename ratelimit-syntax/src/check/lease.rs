//! Checks `lease`: a number of units, or the word `auto`.

use super::checker::Checker;
use super::literal::{boolean, is_digits, string};
use crate::model::Value;
use crate::suggest::nearest;
use ratelimit_limit::rules::number::AUTO;
use syn::Expr;

/// Words of other libraries for `auto`.
const FOREIGN: [&str; 3] = ["automatic", "adaptive", "dynamic"];

impl Checker<'_> {
    pub(super) fn lease(&mut self, value: &Expr) -> Option<Value> {
        let not_a_lease =
            || Some(format!("`lease` must be a number of units, as in `lease = 50`, or `\"{AUTO}\"`"));
        let wrong = match (string(value), boolean(value)) {
            (Some(literal), _) => match literal.value().as_str() {
                AUTO => return Some(Value::Word(AUTO.to_owned(), literal.span())),
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
        self.number("lease", value)
    }

    fn is_bare_auto(&self, value: &Expr) -> bool {
        let Expr::Path(path) = value else { return false };
        path.path.get_ident().is_some_and(|word| word == AUTO && self.item.unknown_name(word).is_some())
    }
}

fn is_auto(text: &str) -> bool {
    let plain = text.to_lowercase();
    FOREIGN.contains(&plain.as_str()) || nearest(&plain, [AUTO].into_iter()).is_some()
}
