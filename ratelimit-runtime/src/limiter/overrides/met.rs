//! The limits that calls of this process have met while there were overrides. `set` checks a change against them.

use super::entry::changed;
use crate::limit::{Limit, LimitChange};
use parking_lot::RwLock;
use std::collections::HashMap;

/// The most names that are remembered. A program may make up names.
const MOST_NAMES: usize = 1000;

#[derive(Default)]
pub(super) struct Met(RwLock<HashMap<Box<str>, MetLimit>>);

struct MetLimit {
    /// The limit of the first call.
    limit: Limit,
    /// Whether another call had another limit, which an expression can give.
    varies: bool,
}

impl Met {
    /// Remembers the limit in the code of a call.
    pub(super) fn note(&self, name: &str, limit: &Limit) {
        if self.0.read().get(name).is_some_and(|met| met.covers(limit)) {
            return;
        }
        let mut all = self.0.write();
        if let Some(met) = all.get_mut(name) {
            met.varies |= met.limit != *limit;
        } else if all.len() < MOST_NAMES {
            all.insert(name.into(), MetLimit { limit: *limit, varies: false });
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.read().contains_key(name)
    }

    /// Why a change does not fit the limit of this name, if that is certain. Limits that vary are not certain.
    pub(super) fn misfit(&self, name: &str, change: &LimitChange) -> Option<&'static str> {
        let all = self.0.read();
        let met = all.get(name).filter(|met| !met.varies)?;
        changed(change, &met.limit).err()
    }
}

impl MetLimit {
    fn covers(&self, limit: &Limit) -> bool {
        self.varies || self.limit == *limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_change_is_compared_with_a_limit_that_is_always_the_same() {
        let met = Met::default();
        let burst = LimitChange::new().burst(5);
        assert_eq!(met.misfit("a", &burst), None);
        met.note("a", &Limit::counter(5, SECOND));
        assert!(met.misfit("a", &burst).unwrap().contains("needs a bucket"));
        assert_eq!(met.misfit("b", &burst), None);
        assert_eq!(met.misfit("a", &LimitChange::new().count(7)), None);
        assert!(met.misfit("a", &Limit::concurrency(5, SECOND).into()).unwrap().contains("concurrency"));
        met.note("a", &Limit::token_bucket(5, SECOND));
        assert_eq!(met.misfit("a", &burst), None, "it fits one of the limits");
    }

    #[test]
    fn names_that_a_program_makes_up_do_not_fill_the_memory() {
        let met = Met::default();
        for name in 0..2 * MOST_NAMES {
            met.note(&name.to_string(), &Limit::counter(5, SECOND));
        }
        assert_eq!(met.0.read().len(), MOST_NAMES);
    }
}
