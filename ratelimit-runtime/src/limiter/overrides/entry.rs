//! One override as this process knows it: its change, and whether it has had an effect on a call.

use super::OverrideEffect;
use crate::limit::{Limit, LimitChange, ParseLimitError};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct Entry {
    /// As the store has it.
    text: String,
    change: LimitChange,
    was_applied: AtomicBool,
    /// Why it did not fit the limit of a call.
    misfit: OnceLock<&'static str>,
}

impl Entry {
    pub(super) fn parse(text: String) -> Result<Self, ParseLimitError> {
        let change = text.parse()?;
        Ok(Self { text, change, was_applied: AtomicBool::new(false), misfit: OnceLock::new() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) const fn change(&self) -> &LimitChange {
        &self.change
    }

    /// The limit of a call. If the override does not fit the limit in the code, what fits of it applies, and the first call logs
    /// a warning.
    pub(super) fn apply(&self, name: &str, limit: &Limit) -> Limit {
        match changed(&self.change, limit) {
            Ok(changed) => {
                if !self.was_applied.load(Ordering::Relaxed) {
                    self.was_applied.store(true, Ordering::Relaxed);
                }
                changed
            }
            Err(reason) => {
                let fitting = self.change.apply_what_fits(limit);
                if self.misfit.set(reason).is_ok() {
                    tracing::warn!(
                        limit = name,
                        change = %self.change,
                        reason,
                        applies = %fitting,
                        "an override does not fit its limit: only what fits of it applies"
                    );
                }
                fitting
            }
        }
    }

    pub(super) fn effect(&self) -> OverrideEffect {
        match self.misfit.get() {
            Some(reason) => OverrideEffect::DoesNotFit { reason },
            None if self.was_applied.load(Ordering::Relaxed) => OverrideEffect::Applied,
            None => OverrideEffect::NotMet,
        }
    }
}

/// The limit that a change makes of a limit in the code, or why it does not fit. The code around a call either holds a permit
/// or does not, so a concurrency limit and another limit cannot replace each other.
pub(super) fn changed(change: &LimitChange, limit: &Limit) -> Result<Limit, &'static str> {
    let changed = change.apply(limit).map_err(crate::limit::LimitError::message)?;
    match (limit.is_concurrency(), changed.is_concurrency()) {
        (true, false) => Err("the limit in the code is a concurrency limit, and the override is not"),
        (false, true) => Err("the override is a concurrency limit, and the limit in the code is not"),
        _ => Ok(changed),
    }
}
