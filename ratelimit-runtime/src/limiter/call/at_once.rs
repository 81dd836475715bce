//! Decides calls at once, by the hashes of their keys, if the store can. No key is rendered, and no request is made.
//!
//! The values are hashed one by one as they would be written (`Fold`), so the state is that of the
//! rendered key. A hook is told who calls, so with a hook an attribute keeps its values until then.

use super::record::Record;
use crate::decision::PackedDecision;
use crate::key::{KeyBuilder, Name, NameGroup};
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::observe::IdentityHash;
use crate::store::cost::Cost;

impl RateLimiter {
    /// Whether the store decides by the hashes of keys, and the limiter itself has nothing to do with the limit.
    #[inline]
    pub(crate) fn decides_at_once(&self, limit: &Limit) -> bool {
        self.shared.decides_hashes && !limit.is_concurrency() && limit.largest_lease() == 0
    }

    /// Whether the store decides calls of this limit by the hashes of their keys, and nobody needs the key itself.
    #[inline]
    pub(crate) fn folds(&self, limit: &Limit, group: NameGroup) -> bool {
        self.decides_at_once(limit)
            && limit.is_charged_at_once()
            && self.has_no_override(group)
            && !self.shared.watch.needs_identities()
    }

    /// Whether the overrides are known, and none of them concerns a name of this group.
    #[inline]
    pub(super) fn has_no_override(&self, group: NameGroup) -> bool {
        self.shared.overrides.is_free(group)
    }

    /// Decides a call whose units are never returned, counts it and records it, if this is [possible](Self::decides_at_once). The
    /// values of `key` are complete. Returns `None` if the overrides are not known, or if one may concern the limit.
    #[expect(clippy::inline_always, reason = "the key was just written, and the decision is read at once")]
    #[inline(always)]
    pub(crate) fn decide_at_once(
        &self,
        key: &KeyBuilder<'_>,
        limit: &Limit,
        cost: Cost,
    ) -> Option<PackedDecision> {
        let settings = &self.shared.keys;
        let hash = if let Some(hash) = key.folded(limit) {
            hash
        } else {
            let name = key.name().summand(settings.secrets);
            if !self.has_no_override(NameGroup::of(name)) {
                return None;
            }
            key.hash(name, limit, settings)
        };
        let identity = || IdentityHash::of_identities(settings, key.identities());
        Some(self.decide_hash(key.name(), hash, limit, cost, identity))
    }

    /// Decides a call by the hash of its key, counts it and records it. `identity` returns the hash of the caller's identity.
    #[inline]
    pub(crate) fn decide_hash(
        &self,
        name: Name<'_>,
        hash: u64,
        limit: &Limit,
        cost: Cost,
        identity: impl Fn() -> Option<IdentityHash>,
    ) -> PackedDecision {
        let shared = &*self.shared;
        let decision = shared.store.bare().decide_hash(limit, hash, cost);
        shared.outage.succeeded();
        shared.watch.decided_at_once(name.as_str(), limit, cost.units, decision, identity);
        if name.is_recorded() {
            Record::at_once(name, limit, cost.units, hash, decision);
        }
        decision
    }
}
