//! What users call: `check` with a key that is made for the call, next to governor keyed by the same value.

use super::subject::GOVERNOR;
use super::{BY_ADDRESS, BY_INTEGER, BY_STRING, instructions};
use crate::cpu::Stopwatch;
use crate::peers;
use crate::report::{Better, Bound, Row, Series, Table};
use crate::{Effort, now};
use ratelimit::context::RequestContext;
use ratelimit::identity::Identity;
use ratelimit::overrides::LimitChange;
use ratelimit::{Key, Limit, RateLimiter};
use std::hint::black_box;
use std::net::IpAddr;
use std::time::Duration;

/// The number of calls of a round.
const CALLS: u32 = 500_000;
const DAY: Duration = Duration::from_secs(86_400);
const COUNTER: Limit = Limit::counter(4_000_000_000, DAY);
const BUCKET: Limit = Limit::token_bucket(33_554_432, DAY);
const REFUSES: Limit = Limit::counter(1, DAY);

/// A call that is measured. `run` makes this number of calls, so that the loop is compiled with the call.
pub(crate) struct Front {
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    pub(crate) run: Box<dyn Fn(u32)>,
}

impl Front {
    pub(crate) fn new(name: impl Into<String>, call: impl Fn() + 'static) -> Self {
        let run = move |calls| (0..calls).for_each(|_| call());
        Self { name: name.into(), is_ours: false, run: Box::new(run) }
    }

    fn ours(name: impl Into<String>, call: impl Fn() + 'static) -> Self {
        Self { is_ours: true, ..Self::new(name, call) }
    }

    /// `check` of a limit of each caller.
    fn check(
        name: impl Into<String>,
        limit: Limit,
        identity: impl Identity + Copy + Send + Sync + 'static,
    ) -> Self {
        Self::check_by(RateLimiter::in_memory(), name, limit, identity)
    }

    fn check_by(
        limiter: RateLimiter,
        name: impl Into<String>,
        limit: Limit,
        identity: impl Identity + Copy + Send + Sync + 'static,
    ) -> Self {
        Self::ours(name, move || {
            drop(black_box(now(limiter.check(&limit, Key::new("k").by(black_box(identity))))));
        })
    }
}

fn ours(name: &str) -> String {
    format!("check, {name}")
}

/// The name of governor, keyed by a kind of identity.
pub(crate) fn governor(by: &str) -> String {
    format!("{GOVERNOR} by {by}")
}

const OVERRIDDEN: &str = "an integer, one override of another limit";
const IN_CONTEXT: &str = "an integer, in a request context";
const REFUSED: &str = "an integer, refused";
const OF_BUCKET: &str = "an integer, token bucket";

/// Returns all subjects, always in the same order.
pub(crate) fn subjects() -> Vec<Front> {
    let overridden = RateLimiter::in_memory();
    let replaced = overridden.overrides().set("another", LimitChange::new().count(5));
    if let Err(error) = now(replaced) {
        unreachable!("{error}");
    }
    let limiter = RateLimiter::in_memory();
    let in_context = Front {
        run: Box::new(move |calls| {
            now(RequestContext::new().scope(async {
                for _ in 0..calls {
                    drop(black_box(limiter.check(&COUNTER, Key::new("k").by(black_box(7_u64))).await));
                }
            }));
        }),
        ..Front::ours(ours(IN_CONTEXT), || ())
    };
    let ours = [
        Front::check(ours(BY_INTEGER), COUNTER, 7_u64),
        Front::check(ours(BY_STRING), COUNTER, "user-00000007"),
        Front::check(ours(BY_ADDRESS), COUNTER, IpAddr::from([203, 0, 113, 7])),
        Front::check(ours(OF_BUCKET), BUCKET, 7_u64),
        Front::check(ours(REFUSED), REFUSES, 7_u64),
        Front::check_by(overridden, ours(OVERRIDDEN), COUNTER, 7_u64),
        in_context,
    ];
    ours.into_iter().chain(peers::front()).collect()
}

pub(crate) fn table(effort: &Effort) -> Table {
    let title = "The front door, one key";
    eprintln!("{title}");
    let mut table = Table::new(title, &["CPU per call, ns", "instructions"]).draw(0, Better::Less);
    let subjects = subjects();
    for (at, subject) in subjects.iter().enumerate() {
        (subject.run)(1000); // the first calls make the entry of the key
        let mut row = Row::new(&subject.name, subject.is_ours, 2);
        row.figures[1] = Series::once(instructions::per_call(at).unwrap_or(f64::NAN));
        table.rows.push(row);
    }
    for _ in 0..effort.rounds {
        for (subject, row) in subjects.iter().zip(&mut table.rows) {
            let calls = CALLS / if effort.quick { 4 } else { 1 };
            let time = Stopwatch::start();
            (subject.run)(calls);
            row.figures[0].push(time.nanos() / f64::from(calls));
        }
    }
    for (name, by, bound) in [
        (BY_INTEGER, BY_INTEGER, 1.0),
        (OF_BUCKET, BY_INTEGER, 1.2),
        (BY_STRING, BY_STRING, 1.1),
        (BY_ADDRESS, BY_ADDRESS, 1.1),
    ] {
        table.goal(&ours(name), &governor(by), 0, Bound::AtMost(bound));
    }
    let plain = ours(BY_INTEGER);
    table.goal(&ours(OVERRIDDEN), &plain, 0, Bound::AtMost(1.05));
    table.goal(&ours(IN_CONTEXT), &plain, 0, Bound::AtMost(1.2));
    table
}
