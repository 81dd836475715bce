//! `Holding`: a response whose body cannot be changed, with what it holds.

use super::{Held, HoldBody};
use crate::debug::opaque;
use crate::rejection::{FromRejection, Rejection};

/// A response whose type cannot contain another body, such as axum's `Sse<S>` and rocket's streams, with what it holds.
///
/// A function with `until = "body_end"` that returns `Sse<S>` returns `Holding<Sse<S>>`, which is the same response. It can also
/// be a refusal, so the function needs no `Result`. [Waiting and permits](crate::docs::waiting_and_permits) has an example for each
/// framework.
#[must_use = "a response does nothing until the handler returns it"]
pub struct Holding<R> {
    pub(crate) response: Result<R, Rejection>,
    pub(crate) held: Held,
}

impl<R> HoldBody for Holding<R> {
    type Output = Self;

    fn hold(mut self, held: Held) -> Self {
        if self.response.is_ok() {
            self.held.merge(held);
        }
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R> FromRejection for Holding<R> {
    fn from_rejection(rejection: Rejection) -> Self {
        Self { response: Err(rejection), held: Held::default() }
    }
}

opaque!([R] Holding<R>, |this| held = this.held);
