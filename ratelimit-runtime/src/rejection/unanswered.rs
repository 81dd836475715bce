//! `Answerable`: notices that nobody has made an answer of a rejection inside another error.

use super::Rejection;
use crate::key::LimitName;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the limit of a rejection, and whether the rejection still needs an answer.
pub(crate) struct Answerable {
    name: LimitName,
    /// Whether the rejection is inside an error that any error converts into, in a function that serves requests, and nobody
    /// has looked at it yet.
    awaits_answer: AtomicBool,
}

impl Answerable {
    pub(super) const fn name(&self) -> &LimitName {
        &self.name
    }

    pub(super) fn set_answered(&self) {
        self.awaits_answer.store(false, Ordering::Relaxed);
    }
}

impl From<crate::key::Name<'_>> for Answerable {
    fn from(name: crate::key::Name<'_>) -> Self {
        Self { name: name.into(), awaits_answer: AtomicBool::new(false) }
    }
}

/// The code that copies a rejection makes an answer of the copy.
impl Clone for Answerable {
    fn clone(&self) -> Self {
        self.set_answered();
        Self { name: self.name.clone(), awaits_answer: AtomicBool::new(false) }
    }
}

impl fmt::Debug for Answerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl Drop for Answerable {
    fn drop(&mut self) {
        static REPORTED: AtomicBool = AtomicBool::new(false);
        if *self.awaits_answer.get_mut() && !REPORTED.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.name.as_str(),
                "a refused call has returned an error, and nobody has made a response of it: hyper then closes the connection, and \
                 Lambda counts a failed invocation; write `on_limit = |rejection| Ok(..)`, or find the rejection with \
                 `Rejection::find` where errors become responses"
            );
        }
    }
}

impl Rejection {
    /// Marks a rejection that is about to be hidden inside another error. If it is then dropped and nobody has looked at it,
    /// the process says so in the log, once.
    pub(crate) fn awaiting_answer(self) -> Self {
        self.answerable().awaits_answer.store(true, Ordering::Relaxed);
        self
    }

    pub(crate) fn set_answered(&self) {
        self.answerable().set_answered();
    }
}
