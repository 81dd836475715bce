//! Checks `cost = learn(ceiling)` and `cost = learn(ceiling, class)`, and the word `learn` where it is not understood.

use super::checker::Checker;
use super::literal::is_literal;
use super::number::shows_its_type;
use crate::model::{LEARN, Learned, Limit, Number, call_of_learn, place_of_learn};
use quote::ToTokens;
use syn::{Expr, ExprCall};

const EXAMPLE: &str = "`cost = learn(request.max_tokens)`";

impl Checker<'_> {
    /// Checks a cost that calls `learn`. Returns `false` if it does not.
    pub(super) fn learned_cost(&mut self, value: &Expr, limit: &Limit) -> bool {
        let Some(call) = call_of_learn(value) else {
            self.check_learn_is_whole(value);
            return false;
        };
        match Learned::of(value) {
            Some(learned) => self.check_arguments(&learned, limit),
            None => self.wrong_arguments(call),
        }
        if self.arguments.complete && self.given("settle").is_none() {
            let why = if limit.is_of_permits() {
                "`learn` has nothing to learn from here: a permit is returned when the function ends, so write the permits as a number"
            } else {
                "`learn` learns from `settle`: add `settle = |result| ..`, which returns what the call has really cost"
            };
            self.error(&call.func, why);
        }
        true
    }

    fn wrong_arguments(&mut self, call: &ExprCall) {
        let message = if call.args.is_empty() {
            format!("`learn` takes the most that the call may cost, as in {EXAMPLE}")
        } else {
            "`learn` takes a ceiling and at most one class: write several values of a class as a tuple, as in `learn(ceiling, (model, region))`".to_owned()
        };
        self.error(call, message);
    }

    fn check_arguments(&mut self, learned: &Learned<'_>, limit: &Limit) {
        if shows_its_type(learned.ceiling)
            && let Some(ceiling) = self.units("cost", learned.ceiling)
            && self.arguments.complete
            && let Limit::Numbers(numbers) = limit
        {
            self.check_cost_fits(learned.ceiling, ceiling, numbers);
        }
        if let Some(class) = learned.class.filter(|class| is_literal(class)) {
            self.error(class, "a constant class is the same for every call: write a value that differs, such as the model, or leave it out");
        }
    }

    /// Reports `learn` inside another computation.
    fn check_learn_is_whole(&mut self, value: &Expr) {
        let is_word = matches!(value, Expr::Path(path) if path.path.get_ident().is_some_and(|word| {
            word == LEARN && self.item.unknown_name(word).is_some()
        }));
        if is_word {
            self.error(value, format!("`learn` takes the most that the call may cost, as in {EXAMPLE}"));
        } else if let Some(place) = place_of_learn(value.to_token_stream()) {
            self.error_at(
                place,
                "`learn(..)` must be the whole `cost`: write the computation inside, as in `cost = learn(ceiling + 10)`; a function of yours is called as `self::learn(..)`",
            );
        }
    }

    /// Reports `learn` in numbers that are no cost.
    pub(super) fn check_learn_elsewhere(&mut self) {
        let numbers = Number::ALL.iter().map(|number| number.as_str());
        for name in numbers.chain(["keep"]) {
            let Some(place) = self.value(name).and_then(|value| place_of_learn(value.to_token_stream()))
            else {
                continue;
            };
            self.error_at(
                place,
                format!("`learn(..)` is for `cost`, not for `{name}`: write {EXAMPLE}; a function of yours is called as `self::learn(..)`"),
            );
        }
    }
}
