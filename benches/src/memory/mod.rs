//! The part `memory`: decisions of the memory store next to limiters of other crates that work in memory.
//!
//! The figures of a single thread are CPU time if the system reports it, so that other work on the machine has little
//! effect.

#![expect(clippy::cast_precision_loss, reason = "figures to print")]

mod fresh;
pub(crate) mod front;
pub(crate) mod instructions;
pub(crate) mod resident;
mod subject;

use crate::cpu::Stopwatch;
use crate::report::{Better, Bound, Row, Table};
use crate::{Effort, Results};
use std::error::Error;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;
use subject::{BUCKET, COUNTER, kinds};

pub(crate) use fresh::Fresh;
pub(crate) use subject::{GOVERNOR, Kind, QUOTA, Subject};

/// The number of decisions of a round.
const CALLS: usize = 500_000;

const BYTES: &str = "bytes per key";

/// The kinds of identities in the first table.
pub(crate) const BY_INTEGER: &str = "an integer";
pub(crate) const BY_STRING: &str = "a string of 13 bytes";
pub(crate) const BY_ADDRESS: &str = "an address";

#[expect(clippy::unnecessary_wraps, reason = "all parts have this signature")]
pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let mut tables = vec![front::table(effort), keyed("One key", 1, effort), threads(effort)];
    tables.push(keyed("100 000 keys", 100_000, effort));
    if !effort.quick {
        tables.push(keyed("1 000 000 keys", 1_000_000, effort));
    }
    tables.push(fresh::table(if effort.quick { 20_000 } else { 200_000 }));
    let context = "`check` receives a limit and a key on a memory store. In all tables after the first one, the key is a string \
                   of 13 bytes, and nothing is refused.";
    Ok(Results { context: context.to_owned(), tables })
}

/// Returns keys such as `user-00000007`, in the order of their addresses, so that reading them is cheap.
fn keys(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|key| format!("user-{key:08}")).collect()
}

/// Permutes the indices of keys, so that consecutive calls do not use neighbours in memory.
const fn scattered(index: usize, count: usize) -> usize {
    index * 7919 % count
}

/// Measures one thread on `count` keys. The keys were inserted in another order.
fn keyed(title: &str, count: usize, effort: &Effort) -> Table {
    eprintln!("{title}");
    let columns = ["CPU per decision, ns", BYTES];
    let columns = if count == 1 { &columns[..1] } else { &columns };
    let mut table = Table::new(title, columns).draw(0, Better::Less);
    let keys = keys(0..count);
    let kinds: Vec<(usize, Kind)> =
        kinds().into_iter().enumerate().filter(|(_, kind)| count <= kind.keys).collect();
    let subjects: Vec<Box<dyn Subject>> = kinds.iter().map(|(_, kind)| (kind.make)()).collect();
    for ((at, kind), subject) in kinds.iter().zip(&subjects) {
        (0..count).for_each(|at| subject.pass(&keys[scattered(at, count)]));
        let mut row = Row::new(kind.name, kind.is_ours, columns.len());
        if count > 1 {
            row.figures[1].push(resident::per_key(*at, count).unwrap_or(f64::NAN));
        }
        table.rows.push(row);
    }
    for round in 0..effort.rounds {
        for (((_, kind), subject), row) in kinds.iter().zip(&subjects).zip(&mut table.rows) {
            let calls = calls(kind, effort);
            let first = round * calls % count;
            let visits = keys[first..].iter().chain(keys.iter().cycle()).take(calls);
            let time = Stopwatch::start();
            visits.for_each(|key| subject.pass(black_box(key)));
            row.push(&[time.nanos() / calls as f64]);
        }
    }
    let [of_counter, of_bucket, of_quota] = if count == 1 { [0.9, 1.1, 1.1] } else { [0.5, 0.5, 0.5] };
    table.goal(COUNTER, GOVERNOR, 0, Bound::AtMost(of_counter));
    table.goal(BUCKET, GOVERNOR, 0, Bound::AtMost(of_bucket));
    table.goal(BUCKET, QUOTA, 0, Bound::AtMost(of_quota));
    if count > 1 {
        table.goal(BUCKET, QUOTA, 1, Bound::AtMost(0.4));
        table.goal(BUCKET, GOVERNOR, 1, Bound::AtMost(0.4));
    }
    table
}

/// Measures two threads on one key.
fn threads(effort: &Effort) -> Table {
    let title = "Two threads, one key";
    eprintln!("{title}");
    let mut table = Table::new(title, &["time per decision of each thread, ns"]).draw(0, Better::Less);
    let key = "user-81726".to_owned();
    let kinds: Vec<Kind> = kinds().into_iter().filter(|kind| kind.share == 1).collect();
    let subjects: Vec<Box<dyn Subject>> = kinds.iter().map(|kind| (kind.make)()).collect();
    table.rows = kinds.iter().map(|kind| Row::new(kind.name, kind.is_ours, 1)).collect();
    for _ in 0..effort.rounds {
        for ((kind, subject), row) in kinds.iter().zip(&subjects).zip(&mut table.rows) {
            let calls = calls(kind, effort);
            let (subject, key, barrier) = (subject.as_ref(), &key, &Barrier::new(2));
            let nanos = std::thread::scope(|scope| {
                let running = [0, 1].map(|_| {
                    scope.spawn(move || {
                        barrier.wait();
                        let start = Instant::now();
                        (0..calls).for_each(|_| subject.pass(black_box(key)));
                        start.elapsed().as_secs_f64() * 1e9
                    })
                });
                running.map(|thread| thread.join().unwrap_or(f64::NAN))
            });
            row.push(&[f64::midpoint(nanos[0], nanos[1]) / calls as f64]);
        }
    }
    table.goal(COUNTER, GOVERNOR, 0, Bound::AtMost(1.0));
    table.goal(BUCKET, GOVERNOR, 0, Bound::AtMost(1.0));
    table.goal(BUCKET, QUOTA, 0, Bound::AtMost(1.0));
    table
}

const fn calls(kind: &Kind, effort: &Effort) -> usize {
    CALLS / kind.share / if effort.quick { 4 } else { 1 }
}
