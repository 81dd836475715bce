//! One override as this process knows it: the change, and whether it has changed the limit of a call.

use super::OverrideEffect;
use crate::key::StoreKey;
use crate::limit::{Limit, LimitChange, ParseLimitError};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::Instant;

/// The prefixes of fields in the store: an override is for a name or for a key.
pub(super) const NAME: &[u8] = b"name:";
pub(super) const KEY: &[u8] = b"key:";

pub(super) struct Entry {
    /// The text in the store.
    pub(super) text: String,
    /// The change. It is empty if the text cannot be read.
    pub(super) change: LimitChange,
    /// The reason why the text cannot be read. If it is set, the override has no effect.
    pub(super) unreadable: Option<&'static str>,
    /// The time at which the override expires. `None` if it does not expire.
    pub(super) expires: Option<Instant>,
    was_applied: AtomicBool,
    /// The reason why the override did not fit the limit of a call.
    misfit: OnceLock<&'static str>,
}

impl Entry {
    /// Reads an override from its field and its text in the store.
    pub(super) fn read(field: &[u8], text: String, expires: Option<Instant>) -> Self {
        let read = if field.starts_with(NAME) || field.starts_with(KEY) {
            // The text is not shown, because anybody may have written it.
            text.parse().map_err(|error: ParseLimitError| error.reason())
        } else {
            Err("it is for neither a name nor a key")
        };
        let (change, unreadable) =
            read.map_or_else(|why| (LimitChange::new(), Some(why)), |change| (change, None));
        let (was_applied, misfit) = (AtomicBool::new(false), OnceLock::new());
        Self { text, change, unreadable, expires, was_applied, misfit }
    }

    /// Whether the override has not expired. The clock is read only if the override can expire.
    pub(super) fn is_in_force(&self) -> bool {
        self.expires.is_none_or(|end| Instant::now() < end)
    }

    /// Whether the override can be read and has not expired.
    pub(super) fn applies(&self) -> bool {
        self.unreadable.is_none() && self.is_in_force()
    }

    /// Applies the override to the limit of a call. If the override does not fit the limit in the code, only the part that fits
    /// applies, and the first such call logs a warning.
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
        match (self.unreadable, self.misfit.get()) {
            (Some(reason), _) => OverrideEffect::Unreadable { reason },
            (None, Some(reason)) => OverrideEffect::DoesNotFit { reason },
            (None, None) if self.was_applied.load(Ordering::Relaxed) => OverrideEffect::Applied,
            (None, None) => OverrideEffect::NotMet,
        }
    }
}

/// Applies a change to a limit in the code. Returns the reason if the change does not fit. The code around a call either holds a
/// permit or does not, so a concurrency limit and another limit cannot replace each other.
pub(super) fn changed(change: &LimitChange, limit: &Limit) -> Result<Limit, &'static str> {
    let changed = change.apply(limit).map_err(crate::limit::LimitError::message)?;
    match (limit.is_concurrency(), changed.is_concurrency()) {
        (true, false) => Err("the limit in the code is a concurrency limit, and the override is not"),
        (false, true) => Err("the override is a concurrency limit, and the limit in the code is not"),
        _ => Ok(changed),
    }
}

/// Returns the field of the override for a name.
pub(super) fn field_of_name(name: &str) -> Vec<u8> {
    [NAME, name.as_bytes()].concat()
}

/// Returns the field of the override for a key without a format.
pub(super) fn field_of_key(key: &StoreKey) -> Vec<u8> {
    [KEY, key.as_bytes()].concat()
}
