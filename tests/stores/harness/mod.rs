//! Helpers that the store tests share: limiters, servers in a special state, requests, and both stores under one clock. This
//! folder contains no tests.

mod concurrent;
mod each;
mod effort;
mod foreign;
mod limiters;
mod refusing;
mod requests;
mod server_stats;
mod slots;
mod suspended;
mod twins;
mod waiting;

pub(crate) use concurrent::{Pending, checks, forbidden_among, in_mode, join};
pub(crate) use each::{charging, each};
pub(crate) use effort::{is_soak, operations, rounds, seed};
pub(crate) use foreign::foreign_texts;
pub(crate) use limiters::{
    HUGE, OnlyDecides, call_from_tasks, connection_to, counted_at, decision, failure, limiter_at, limiter_on,
    on_both, undecided, used,
};
pub(crate) use refusing::Refusing;
pub(crate) use requests::{TestAdjustment, TestRequest, adjust, decide, key, used_under};
pub(crate) use server_stats::{assert_all_expire, script_calls, server_time_us};
pub(crate) use slots::{cluster_of_one, limiter_on_slots, on_slots};
pub(crate) use suspended::Suspended;
pub(crate) use twins::{CLOCK, Twins};
pub(crate) use waiting::{
    PATIENCE, assert_recovered_within, now_or_panic, poll_once, runtime, soon, time_until_decided, wait_for,
    wait_until_reachable,
};
