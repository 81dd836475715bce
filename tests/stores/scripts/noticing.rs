//! The ways in which tests notice a mutant of the scripts: the interpreter, random traffic, and rare calls and keys.

use super::mutants::Mutant;
use crate::algorithms::{shortens_windows, steps_back_over_a_boundary};
use crate::harness::{CLOCK, Twins};
use crate::interpreter::accepts;
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::mixed_traffic;
use crate::models::random::operations::{By, first_difference};
use crate::scripts::arguments::{
    ALGORITHMS, adjust_reports_bad_arguments, decide_reports_bad_arguments, single_reports_bad_arguments,
};
use crate::scripts::changed_limits::{
    counts_much, crosses_eras, ends_leases, gives_back_what_is_stored, keeps_blocks, keeps_tickets,
    outlives_returns, remembers, shortens, slows, tells_neighbors_apart, writes_as_decide,
};
use crate::scripts::failing_commands::{report_failing_commands, report_keys_elsewhere};
use crate::scripts::foreign_keys::{lasting_keys, longest_list, renews, repairs};
use crate::scripts::foreign_requests::{
    closed_limits_refuse, single_spares_foreign_data, spare_foreign_data,
};
use crate::scripts::large_calls::{decide_many_keys, single_bucket_leaves_many_units, store_many_units};
use crate::scripts::merged_requests;
use crate::scripts::refused_writes::report_refused_writes;
use crate::scripts::spelled_states::spares_spellings;
use ratelimit::__testing;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Mutant {
    /// Returns `decide` and `adjust` with the mistake.
    pub(super) fn scripts(&self) -> [String; 2] {
        let (original, mutated) = self.text();
        __testing::scripts().map(|script| script.replacen(original, &mutated, 1))
    }

    /// Whether the interpreter notices the mutant. The interpreter needs no server, and is much faster.
    fn is_noticed_by_interpreter(&self) -> bool {
        let [decide, adjust] = &self.scripts();
        !self.is_single() && !accepts(decide, adjust, self.kinds())
    }

    /// Calls the scripts with arguments that no limiter sends. Returns the reason if these calls notice the mutant.
    fn noticed_by_calls(&self, twins: &mut Twins) -> Option<&'static str> {
        let ((_, mutated), [decide, adjust]) = (self.text(), self.scripts());
        let raw = AssertUnwindSafe(twins.raw());
        let check = || {
            let AssertUnwindSafe(raw) = { raw };
            if self.file == "any_slot" {
                report_keys_elsewhere(raw, &mutated, &decide);
                return;
            }
            if let Some(name) = self.file.strip_prefix("single/") {
                single_reports_bad_arguments(raw, name, &mutated);
                single_spares_foreign_data(raw, name, &mutated);
                if name == "token_bucket" {
                    single_bucket_leaves_many_units(raw, &mutated);
                }
                return;
            }
            report_failing_commands(raw, &decide, &adjust);
            report_refused_writes(raw, &decide);
            closed_limits_refuse(raw, &decide, &adjust);
            decide_reports_bad_arguments(raw, &decide);
            adjust_reports_bad_arguments(raw, &adjust);
            decide_many_keys(raw, &decide);
            store_many_units(raw, &decide, &adjust);
            for algorithm in ALGORITHMS {
                spare_foreign_data(raw, &decide, &adjust, algorithm);
            }
        };
        catch_unwind(check).is_err().then_some("by calls that no limiter sends")
    }

    /// Returns how the tests noticed the mutant, or `None`. Most mutants are noticed after few requests, so long runs come
    /// last.
    pub(super) async fn noticed(&self, twins: &mut Twins) -> Option<&'static str> {
        if self.file == "any_slot" {
            return self.noticed_by_calls(twins);
        }
        if self.is_noticed_by_interpreter() {
            return Some("by the interpreter");
        }
        let (store, decide) = self.store(&twins.url());
        twins.redis = store;
        for (round, operations) in [30, 100, 400, 900].into_iter().enumerate() {
            let seed = round as u64;
            if let Some(how) = self.noticed_by_traffic(twins, operations, seed).await {
                return Some(how);
            }
            if round == 0 {
                if let Some(how) = self.noticed_by_changes(twins).await {
                    return Some(how);
                }
                if let Some(how) = self.noticed_by_calls(twins) {
                    return Some(how);
                }
            } else if let Some(how) = self.noticed_by_mixtures(twins, &decide, seed).await {
                return Some(how);
            }
        }
        None
    }

    async fn noticed_by_traffic(
        &self,
        twins: &mut Twins,
        operations: usize,
        seed: u64,
    ) -> Option<&'static str> {
        for numbers in &self.limits() {
            twins.clear();
            let make = async |now, steps: &[_]| By::Script.make(twins, now, numbers, steps).await;
            if first_difference(numbers, operations, seed, self.is_single(), make).await.is_some() {
                return Some("by its answers");
            }
            if twins.longest_ttl() > numbers.longest_ttl() || lasting_keys(twins) > 0 {
                return Some("by how long its keys live");
            }
            // A list may contain the units of the current period and of each period of the wait. It may also contain the units
            // of the previous period, or a debt.
            let periods = 2 + u32::try_from(numbers.wait.div_ceil(numbers.time)).unwrap();
            if longest_list(twins) > numbers.count.saturating_mul(periods) {
                return Some("by how much its keys hold");
            }
        }
        None
    }

    async fn noticed_by_changes(&self, twins: &mut Twins) -> Option<&'static str> {
        let kinds = self.kinds();
        for kind in kinds.iter().filter(|kind| !matches!(kind, Kind::Log | Kind::Concurrency)) {
            if !shortens(twins, *kind).await {
                return Some("by a limit that becomes shorter");
            }
            for time in [1000, 86_400_000] {
                if !crosses_eras(twins, &Numbers::new(*kind, 12, time)).await {
                    return Some("by the end of an era");
                }
            }
        }
        if self.is_single() {
            let [decide, adjust] = __testing::scripts();
            let decides = __testing::with_texts(&twins.url(), CLOCK, decide, adjust).unwrap();
            for numbers in &self.limits() {
                if !writes_as_decide(twins, &decides, numbers).await {
                    return Some("by the state that it leaves");
                }
            }
        }
        if kinds.contains(&Kind::Counter)
            && (steps_back_over_a_boundary(twins).await.is_none() || shortens_windows(twins).await.is_none())
        {
            return Some("by the boundaries of the calendar");
        }
        if !counts_much(twins).await || !slows(twins).await || !outlives_returns(twins).await {
            return Some("by large numbers");
        }
        if !remembers(twins).await {
            return Some("by a limit that becomes slower");
        }
        if !gives_back_what_is_stored(twins).await {
            return Some("by what it gives back");
        }
        if !keeps_tickets(twins).await {
            return Some("by a ticket that is lost");
        }
        if !ends_leases(twins).await || !keeps_blocks(twins).await {
            return Some("by an end");
        }
        (!tells_neighbors_apart(twins).await).then_some("by limits beside each other")
    }

    async fn noticed_by_mixtures(&self, twins: &mut Twins, decide: &str, round: u64) -> Option<&'static str> {
        let limits = self.limits();
        let mut algorithms: Vec<_> = limits.iter().map(|numbers| numbers.limit().algorithm()).collect();
        algorithms.dedup();
        let operations = 1000 * usize::try_from(round).unwrap();
        for back in [false, true] {
            twins.clear();
            let difference = mixed_traffic::first_difference(twins, &algorithms, operations, back, round);
            if difference.await.is_some() {
                return Some("by its answers to a mixture");
            }
        }
        let few = |limit: &&Numbers| limit.count < 1000 && limit.wait == 0 && limit.calendar.is_none();
        for numbers in limits.iter().filter(few) {
            twins.clear();
            let merges = !self.is_single() && numbers.kind != Kind::Concurrency;
            if merges && merged_requests::first_difference(twins, decide, numbers, 1000, round).is_some() {
                return Some("by its answers to merged requests");
            }
            if round == 1
                && let Some(how) = odd(twins, numbers).await
            {
                return Some(how);
            }
        }
        None
    }
}

async fn odd(twins: &mut Twins, numbers: &Numbers) -> Option<&'static str> {
    let limit = numbers.limit();
    if !repairs(twins, limit).await {
        return Some("by what it makes of a lost deadline");
    }
    if numbers.kind == Kind::Concurrency && !renews(twins, limit).await {
        return Some("by a lease that does not go on");
    }
    let spares = numbers.time != 60_000 || spares_spellings(twins, limit).await;
    (!spares).then_some("by what it does to foreign keys")
}
