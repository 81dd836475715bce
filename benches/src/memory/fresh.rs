//! The memory in use if each round uses new keys, which expire before the next round.

use super::keys;
use super::subject::{Ours, Subject};
use crate::peers;
use crate::report::{Bound, Goal, Row, Series, Table, grouped};
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, MemoryStore};
use std::time::Duration;

const ROUNDS: usize = 5;

type Pass = dyn Fn(&[String]);

/// A subject, with a cleanup after each round.
pub(crate) struct Fresh {
    name: &'static str,
    /// Decides about the keys of a round, and then runs the cleanup.
    round: Box<Pass>,
}

impl Fresh {
    pub(crate) fn new<S: Subject + 'static>(
        name: &'static str,
        subject: S,
        after: impl Fn(&S) + 'static,
    ) -> Self {
        let round = move |keys: &[String]| {
            for key in keys {
                subject.pass(key);
            }
            after(&subject);
        };
        Self { name, round: Box::new(round) }
    }

    /// Measures the memory in use after each round, in MB.
    fn row(&self, count: usize) -> Row {
        let mut row = Row::new(self.name, false, ROUNDS);
        let mut taken = 0;
        for (round, figure) in row.figures.iter_mut().enumerate() {
            let keys = keys(round * count..(round + 1) * count);
            taken += allocation_counter::measure(|| (self.round)(&keys)).bytes_current;
            *figure = Series::once(taken as f64 / 1e6);
        }
        row
    }
}

pub(crate) fn table(count: usize) -> Table {
    let columns: Vec<String> = (1..=ROUNDS).map(|round| format!("after round {round}")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new(format!("MB in use, {} fresh keys each round", grouped(count)), &columns);
    let (clock, second) = (ManualClock::new(), Duration::from_secs(1));
    let ours = Ours::new(MemoryStore::with_clock(clock.clone()), Limit::counter(5, second));
    let ours = Fresh::new("MemoryStore", ours, move |_| clock.advance(second));
    table.rows.push(Row { is_ours: true, ..ours.row(count) });
    table.rows.extend(peers::fresh().iter().map(|peer| peer.row(count)));
    let rounds = &table.rows[0].figures;
    // The goal compares the last round with the second round. The first round is not comparable, because no key has
    // expired in it.
    let found = rounds[ROUNDS - 1].ratio(&rounds[1]);
    let what = "MemoryStore: the last round, beside the second".to_owned();
    table.goals.push(Goal { what, found, bound: Bound::AtMost(1.2) });
    table
}
