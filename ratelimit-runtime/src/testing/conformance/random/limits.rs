//! The limits of the random sequences.

use crate::testing::conformance::definitions::{Kind, Numbers};

const COUNTER: Kind = Kind::Counter;
const GREEDY: Kind = Kind::Greedy;
const INTERVAL: Kind = Kind::Interval;
const LEAKY: Kind = Kind::Leaky;
const WINDOW: Kind = Kind::Window;
const LOG: Kind = Kind::Log;
const PERMITS: Kind = Kind::Concurrency;

const fn n(kind: Kind, count: u32, time: u64) -> Numbers {
    Numbers::new(kind, count, time)
}

/// The limits of each sequence. The calls of a sequence with several limits are stacks of these limits. Most periods are short,
/// so that the clock of the store stays in this century.
pub(in super::super) const SEQUENCES: &[&[Numbers]] = &[
    &[n(COUNTER, 5, 60_000)],
    &[n(COUNTER, 100, 10)],
    &[n(COUNTER, 3, 20).wait(100)],
    &[n(COUNTER, 3, 2000).block([1000, 2000, 5000])],
    &[n(COUNTER, 2, 3000).wait(4000).block([2000, 0, 0])],
    &[n(COUNTER, 4_000_000_000, 500)],
    &[n(COUNTER, 7, 31_622_400_000)],
    &[n(COUNTER, 5, 3_600_000).calendar("hour -00:30")],
    &[n(COUNTER, 5, 86_400_000).calendar("day -11:45").block([60_000, 3_600_000, 0])],
    &[n(COUNTER, 5, 604_800_000).calendar("week +14:00")],
    &[n(COUNTER, 9, 2_678_400_000).calendar("month +05:45")],
    &[n(GREEDY, 3, 1000)],
    &[n(GREEDY, 7, 60_000).burst(10).borrow(3)],
    &[n(GREEDY, 60, 7).burst(1)],
    &[n(GREEDY, 300, 1000).burst(50).wait(700)],
    &[n(GREEDY, 3, 1500).borrow(2).block([1000, 2000, 5000])],
    &[n(GREEDY, 1 << 25, 1000)],
    &[n(INTERVAL, 5, 60_000).burst(20)],
    &[n(INTERVAL, 2, 7).burst(9).borrow(3).wait(30)],
    &[n(INTERVAL, 3, 1000).burst(5).block([1000, 3000, 0])],
    &[n(LEAKY, 7, 60_000).burst(10)],
    &[n(LEAKY, 300, 1000).burst(50)],
    &[n(LEAKY, 4, 1500).burst(6).block([1000, 2000, 0])],
    &[n(LEAKY, 3, 1000).wait(2000)],
    &[n(LEAKY, 60, 7).wait(50)],
    &[n(LEAKY, 3, 1000).wait(1500).block([1000, 2000, 5000])],
    &[n(WINDOW, 10, 1000)],
    &[n(WINDOW, 300, 100)],
    &[n(WINDOW, 5, 60_000).wait(100_000)],
    &[n(WINDOW, 5, 1500).block([1000, 2000, 5000])],
    &[n(WINDOW, 33_554_431, 60)],
    &[n(LOG, 10, 1000)],
    &[n(LOG, 300, 100)],
    &[n(LOG, 5, 60).wait(100)],
    &[n(LOG, 10_000, 1000)],
    &[n(PERMITS, 10, 60_000)],
    &[n(PERMITS, 40, 1500)],
    &[n(PERMITS, 3, 1000).wait(2000)],
    &[n(PERMITS, 10_000, 2000)],
    &[
        n(COUNTER, 5, 1000),
        n(GREEDY, 3, 1000).burst(5).borrow(2),
        n(LEAKY, 7, 1000).burst(10),
        n(LOG, 10, 1000),
        n(PERMITS, 10, 1500),
        n(PERMITS, 4, 2000),
    ],
    &[n(COUNTER, 5, 1000), n(COUNTER, 12, 3000), n(WINDOW, 10, 1000), n(INTERVAL, 5, 600).burst(20)],
    &[
        n(COUNTER, 3, 400).wait(1000),
        n(GREEDY, 30, 1000).burst(5).wait(700),
        n(INTERVAL, 2, 300).burst(4).wait(900),
        n(LEAKY, 10, 1000).wait(1000),
        n(WINDOW, 10, 500).wait(800),
        n(LOG, 10, 500).wait(900),
        n(PERMITS, 3, 1000).wait(1500),
    ],
    &[
        n(COUNTER, 3, 2000).block([1000, 2000, 5000]),
        n(GREEDY, 3, 2000).block([1000, 0, 0]),
        n(INTERVAL, 3, 1000).wait(500).block([1000, 3000, 0]),
        n(LEAKY, 3, 1000).wait(1500).block([2000, 3000, 0]),
        n(WINDOW, 5, 1500).block([1000, 2000, 0]),
        n(LOG, 5, 1500),
        n(PERMITS, 5, 1500),
    ],
    &[
        n(COUNTER, 5, 3_600_000).calendar("hour +05:30").block([600_000, 0, 0]),
        n(COUNTER, 20, 86_400_000).calendar("day -05:00"),
        n(COUNTER, 20, 86_400_000).calendar("day +01:00"),
        n(COUNTER, 8, 7_200_000),
        n(GREEDY, 8, 7_200_000),
    ],
];
