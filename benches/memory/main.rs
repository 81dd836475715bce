//! Decisions in the process: the memory store beside governor and quota. `cargo xtask bench memory`.
//!
//! All subjects run in turn within each round, and medians are printed. Figures of one thread are processor time, as
//! far as the system tells it, so that other work on the machine counts little.

#![expect(clippy::cast_precision_loss, reason = "figures to print")]

mod cpu;
mod fresh;
mod report;
mod resident;
mod subject;
#[path = "../decisions/table.rs"]
mod table;

use cpu::Stopwatch;
use report::Goals;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;
use subject::{KEYED, Subject};
use table::Row;

/// Decisions of a round.
const CALLS: usize = 500_000;

fn main() {
    if resident::is_child() {
        return;
    }
    // `cargo bench` passes `--bench`, and `cargo test --benches` passes nothing: then a short round shows that it runs.
    let (rounds, scale) =
        if std::env::args().any(|argument| argument == "--bench") { (7, 1) } else { (1, 100) };
    report::machine();
    keyed(1, rounds, &Goals { time: [1.1, 0.6], memory: None });
    keyed(100_000 / scale, rounds, &Goals { time: [0.5, 0.5], memory: Some(0.4) });
    keyed(1_000_000 / scale, rounds, &Goals { time: [0.5, 0.5], memory: Some(0.4) });
    threads(rounds, &Goals { time: [1.0, 0.6], memory: None });
    fresh::run(200_000 / scale);
}

/// Keys as users have them, in the order of their addresses, so that reading them is cheap.
fn keys(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|key| format!("user-{key:08}")).collect()
}

/// Decisions on so many keys, in an order that is not the one in which they came.
fn keyed(count: usize, rounds: usize, goals: &Goals) {
    let keys = keys(0..count);
    let order = |at: usize| &keys[at * 7919 % count];
    let mut rows: Vec<Row> = KEYED.iter().map(|(name, _)| Row::new(*name)).collect();
    let subjects: Vec<Box<dyn Subject>> = KEYED.iter().map(|(_, make)| make()).collect();
    for subject in &subjects {
        (0..count).for_each(|at| subject.pass(order(at)));
    }
    let bytes: Vec<f64> = match goals.memory {
        Some(_) => (0..KEYED.len()).filter_map(|at| resident::per_key(at, count)).collect(),
        None => Vec::new(),
    };
    for round in 0..rounds {
        for (subject, row) in subjects.iter().zip(&mut rows) {
            let first = round * CALLS % count;
            let time = Stopwatch::start();
            let visits = keys[first..].iter().chain(keys.iter().cycle()).take(CALLS);
            visits.for_each(|key| subject.pass(black_box(key)));
            row.figures.push(time.nanos() / CALLS as f64);
        }
    }
    report::print(&format!("{count} keys, ns of processor time"), &rows, goals, &bytes);
}

/// Two threads on one key.
fn threads(rounds: usize, goals: &Goals) {
    let key = "user-81726".to_owned();
    let subjects: Vec<Box<dyn Subject>> = KEYED.iter().map(|(_, make)| make()).collect();
    let mut rows: Vec<Row> = KEYED.iter().map(|(name, _)| Row::new(*name)).collect();
    for _ in 0..rounds {
        for (subject, row) in subjects.iter().zip(&mut rows) {
            let (subject, key, barrier) = (subject.as_ref(), &key, &Barrier::new(2));
            let nanos = std::thread::scope(|scope| {
                let running = [0, 1].map(|_| {
                    scope.spawn(move || {
                        barrier.wait();
                        let start = Instant::now();
                        (0..CALLS).for_each(|_| subject.pass(black_box(key)));
                        start.elapsed().as_secs_f64() * 1e9
                    })
                });
                running.map(|thread| thread.join().unwrap_or(f64::NAN))
            });
            row.figures.push(f64::midpoint(nanos[0], nanos[1]) / CALLS as f64);
        }
    }
    report::print("2 threads on one key, ns of each thread", &rows, goals, &[]);
}
