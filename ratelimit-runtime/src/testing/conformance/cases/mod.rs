//! The table of the rules that are checked in plain sequences, with a line for each rule. If `Request` or `Limit` gets a new
//! number, such as `burst`, add a rule for this number, and limits that set it.

mod blocks;
mod bounds;
mod calendar;
mod changes;
mod concurrent;
mod errors;
mod keys;
mod overrides;
mod permits;
mod published;
mod refunds;
mod stacks;
mod turns;

use super::run::{Checked, Run};
use crate::limit::{Algorithm, Calendar, Limit, Refill};
use std::pin::Pin;
use std::time::Duration;

type Check = for<'r> fn(&'r mut Run<'_>, Limit) -> Pin<Box<dyn Future<Output = Checked> + 'r>>;

/// A rule, the limits with which it is checked, and the check.
pub(super) struct Case {
    pub(super) rule: &'static str,
    pub(super) limits: fn() -> Vec<Limit>,
    pub(super) check: Check,
}

macro_rules! cases {
    ($($rule:literal: $limits:expr => $room:ident::$check:ident;)*) => {
        pub(super) const CASES: &[Case] = &[$(
            Case { rule: $rule, limits: $limits, check: |run, limit| Box::pin($room::$check(run, limit)) },
        )*];
    };
}

cases! {
    "a limit admits what it holds": all => bounds::admits_what_it_holds;
    "a refused call passes at `retry_after`": all => bounds::passes_at_retry_after;
    "a refused call changes nothing": all => bounds::refusals_change_nothing;
    "a cost above the capacity never passes": all => bounds::too_large_costs;
    "a cost of zero takes nothing": all => bounds::costs_of_zero;
    "a call can leave units to others": all => bounds::leaves_units_to_others;
    "a peek takes nothing": all => bounds::peeks_take_nothing;
    "nothing is in use after `reset_after`": all => bounds::all_free_after_reset;
    "a limit of zero refuses every call": of_zero => bounds::refuses_every_call;
    "requests of a batch are decided in order": all => bounds::batches_in_order;
    "a batch may be large": one => bounds::large_batches;
    "a store that decides can be probed": one => bounds::probes;
    "a stack passes as a whole or not at all": all => stacks::all_or_nothing;
    "each member of a stack has its own decision": all => stacks::own_decisions;
    "units of a charge can be returned": all => refunds::at_once;
    "units of a charge are returned once": all => refunds::once;
    "units are not returned after their time": all => refunds::not_too_late;
    "units from before a reset are not returned": without_permits => refunds::after_reset;
    "only charges have stamps": all => refunds::stamps;
    "a penalty takes at most one capacity into debt": without_permits => refunds::penalties;
    "turns are in the order of arrival": waiting => turns::in_order;
    "only a charge waits for its turn": waiting => turns::checks_do_not_wait;
    "the last turn can be returned": waiting => turns::returned;
    "a permit is held until it is returned": permits => permits::held;
    "a permit ends with its lease": permits => permits::lease;
    "a permit of several units is one permit": permits => permits::several_units;
    "a permit belongs to its key": permits => permits::of_one_key;
    "waiting calls receive permits in order": waiting_permits => permits::tickets;
    "a refused caller is blocked for growing steps": blocking => blocks::steps;
    "a block by hand leaves the steps": one_blocking => blocks::steps_and_blocks_by_hand;
    "callers can be blocked by hand": one => blocks::by_hand;
    "a limit can be paused": one => blocks::paused;
    "windows of the calendar end for all callers together": calendar => calendar::ends_together;
    "windows of the calendar are as long as the calendar says": calendar => calendar::lengths;
    "windows of the calendar follow their zone": calendar => calendar::zones;
    "the next window of the calendar keeps its units and its end": calendar => calendar::next_window;
    "different keys have different units": all => keys::no_shared_units;
    "a reset deletes the state of its keys only": all => keys::reset;
    "units stay in use when the limit changes": all => changes::units_stay;
    "a refusal under a smaller limit changes nothing": all => changes::refusals_do_not_lower;
    "a limit of zero keeps the units in use": all => changes::a_stop_keeps_units;
    "a shorter limit ends the window earlier": one => changes::windows_get_shorter;
    "calls that come together share the limit": all => concurrent::share_the_limit;
    "stacks that come together share their limits": one => concurrent::stacks;
    "adjustments that come together do not disturb each other": adjustable => concurrent::adjustments;
    "a dropped reply affects no other call": one => concurrent::dropped_replies;
    "wrong questions are errors of the kind `Configuration`": one => errors::wrong_questions;
    "unsupported limits are errors of the kind `Configuration`": every => errors::unsupported;
    "overrides are stored with a version": one => overrides::versions;
    "overrides agree with the changes that were saved": one => overrides::random;
    "overrides expire": one => overrides::expiry;
    "overrides that are saved together are all saved": one => overrides::together;
    "published limits are stored": one => published::saved;
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A limit of each algorithm and of each refill mode, without `wait`. The periods are so long that no unit comes back between two
/// operations of a check, even if the clock moves by itself.
fn all() -> Vec<Limit> {
    let mut all = without_permits();
    all.extend(permits());
    all
}

fn without_permits() -> Vec<Limit> {
    let bucket = Limit::token_bucket(3, seconds(6));
    let others = [bucket.burst(4).borrow(1), bucket.refill(Refill::Interval)];
    charging(3, 3, 6).chain(others).collect()
}

/// A limit of each algorithm whose units are charged. Buckets have a longer period.
fn charging(count: u32, period: u64, of_buckets: u64) -> impl Iterator<Item = Limit> {
    let period =
        move |algorithm: &Algorithm| seconds(if algorithm.is_bucket() { of_buckets } else { period });
    let charging = Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.is_concurrency());
    charging.filter_map(move |algorithm| Limit::plain(algorithm, count, period(&algorithm)).ok())
}

fn permits() -> Vec<Limit> {
    vec![Limit::concurrency(3, seconds(3))]
}

/// Limits whose state is returned to exactly, when units of several charges are returned.
fn adjustable() -> Vec<Limit> {
    vec![
        Limit::counter(3, seconds(3)),
        Limit::sliding_window(3, seconds(3)),
        Limit::concurrency(3, seconds(3)),
    ]
}

fn every() -> Vec<Limit> {
    [all(), waiting(), waiting_permits(), blocking(), calendar()].concat()
}

fn one() -> Vec<Limit> {
    vec![Limit::counter(3, seconds(3))]
}

fn waiting() -> Vec<Limit> {
    let bucket = Limit::token_bucket(1, seconds(2)).burst(2);
    let others = [bucket, bucket.refill(Refill::Interval), Limit::leaky_bucket(1, seconds(2))];
    let plain = charging(2, 3, 2).filter(|limit| !limit.is_bucket());
    plain.chain(others).map(|limit| limit.wait(seconds(5))).collect()
}

fn waiting_permits() -> Vec<Limit> {
    vec![Limit::concurrency(3, seconds(6)).wait(seconds(3))]
}

fn of_zero() -> Vec<Limit> {
    let zero = |limit: &Limit| Limit::plain(limit.algorithm(), 0, limit.time()).ok();
    let without_burst = Limit::token_bucket(3, seconds(6)).try_burst(0).ok();
    all().iter().filter_map(zero).chain(without_burst).collect()
}

/// The steps are longer than the wait of any other refusal.
fn blocking() -> Vec<Limit> {
    let bucket = Limit::token_bucket(3, seconds(6)).block(&blocks::STEPS[..1]);
    let window = Limit::sliding_window(3, seconds(3)).block(&blocks::STEPS[..2]);
    [one_blocking(), vec![bucket, window]].concat()
}

fn one_blocking() -> Vec<Limit> {
    vec![Limit::counter(3, seconds(3)).block(&blocks::STEPS)]
}

/// A limit for each window of the calendar, in UTC.
fn calendar() -> Vec<Limit> {
    Calendar::ALL.map(|window| Limit::calendar(3, window)).to_vec()
}
