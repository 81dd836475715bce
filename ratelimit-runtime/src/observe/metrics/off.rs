//! The measurements without the feature `metrics`: none.

use super::outcome::Outcome;
use std::time::Duration;

/// The place of a measured limit. Without the feature `metrics` no value exists, so an option of it takes no memory.
#[derive(Clone, Copy)]
pub(super) enum Measured {}

pub(super) const fn named(_: &str) -> Option<Measured> {
    None
}

impl Measured {
    pub(super) const fn count_allowed(self, _: bool) {
        match self {}
    }

    pub(super) const fn count(self, _: Outcome, _: bool, _: Option<Duration>) {
        match self {}
    }

    pub(super) const fn add_waiting(self, _: i64) {
        match self {}
    }

    pub(super) const fn add_permits(self, _: i64) {
        match self {}
    }
}
