//! Checks `fallible`, which wraps the return type in a `Result`.

use super::checker::Checker;
use crate::item::Form;
use syn::{Type, TypeParamBound};

impl Checker<'_> {
    /// Whether to wrap the return type. In a block, methods that already return a `Result` keep their return type.
    pub(super) fn fallible(&mut self) -> bool {
        let Some(given) = self.given("fallible") else { return false };
        let item = self.item;
        let result = match &item.form {
            Form::AsyncTrait(_) => {
                let place = item.place(given.name.span());
                self.error_at(place, OF_A_TRAIT);
                return false;
            }
            Form::Future(future) => match &future.output {
                None => {
                    let place = item.place(given.name.span());
                    self.error_at(place, "`fallible` cannot change a return type that does not say what the future returns: return `impl Future<Output = ..>` or a boxed future");
                    return false;
                }
                output => output.as_ref(),
            },
            Form::Plain | Form::Async => item.return_type(),
        };
        let is_result = result.is_some_and(is_result);
        if is_result && item.block.is_none() {
            self.error_on_name(
                given,
                "`fallible` is for a function that returns a plain value, but this one returns a `Result`, whose error reports a refused call: remove it",
            );
        }
        !is_result
    }

    /// Reports `impl Reply` of warp, which no type with a rejection implements.
    pub(super) fn reply(&mut self) {
        let item = self.item;
        let Some(returned @ Type::ImplTrait(opaque)) = item.return_type() else { return };
        let is_reply = opaque.bounds.iter().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|last| last.ident == "Reply")
            }
            _ => false,
        });
        if is_reply && self.given("on_limit").is_none() {
            let advice = "warp cannot answer with a rejection: return `warp::reply::Response`, by `.into_response()` at the end of the body, and enable the feature `tower` of `ratelimit-runtime`";
            self.errors.on(returned, advice);
        }
    }
}

/// The error for `fallible` on a method of a trait, whose return type the trait defines.
pub const OF_A_TRAIT: &str = "`fallible` changes the return type, but the trait of this method says what it returns: let the method of the trait return a `Result`, or write `on_limit = |rejection| ..`";

/// Whether a type is called `Result`, in any module.
fn is_result(found: &Type) -> bool {
    match found {
        Type::Paren(inner) => is_result(&inner.elem),
        Type::Group(inner) => is_result(&inner.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Result"),
        _ => false,
    }
}
