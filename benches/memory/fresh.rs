//! Ever new keys, which expire before the next round: how much memory is in use after each.

use crate::keys;
use crate::subject::{Ours, Subject, governor};
use ratelimit::{Limit, ManualClock, MemoryStore};
use std::time::Duration;

const ROUNDS: usize = 5;

pub(crate) fn run(count: usize) {
    println!("\n{ROUNDS} rounds of {count} fresh keys, MB in use after each\n");
    let clock = ManualClock::new();
    let second = Duration::from_secs(1);
    let ours = Ours(MemoryStore::with_clock(clock.clone()), Limit::counter(5, second));
    row("MemoryStore", count, &ours, || clock.advance(second));
    let governor = governor();
    row("governor, cleaned each time", count, &governor, || {
        governor.retain_recent();
        governor.shrink_to_fit();
    });
}

fn row(name: &str, count: usize, subject: &dyn Subject, after: impl Fn()) {
    let mut taken = 0;
    let figures: Vec<String> = (0..ROUNDS)
        .map(|round| {
            let keys = keys(round * count..(round + 1) * count);
            let heap = allocation_counter::measure(|| {
                for key in &keys {
                    subject.pass(key);
                }
                after();
            });
            taken += heap.bytes_current;
            format!("{:>6.2}", taken as f64 / 1e6)
        })
        .collect();
    println!("  {name:<28} {}", figures.join(" "));
}
