//! Small limits, and the operations that form the sequences.

use crate::models::definitions::{Kind, Numbers};
use ratelimit::store::Mode;

/// One limit, or a stack of two limits. Each member has its numbers before and after a change.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) members: Vec<[Numbers; 2]>,
    pub(super) letters: Vec<Letter>,
    /// The number of letters at the start of `letters` that form the core. Longer sequences consist of core letters only.
    pub(super) core: usize,
}

/// A step of a sequence: a pause in µs, and then an operation (`deed`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) pause: u64,
    pub(super) deed: Deed,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// A request with a cost for each member. The last field selects the numbers before (0) or after (1) the change.
    Ask(Mode, [u32; 2], usize),
    /// Repeats the last request with its permit, if it was refused.
    AskAgain,
    /// Returns the units of the last charge. `GiveOne` returns only one unit.
    Give,
    GiveOne,
    Take(u32),
    /// Renews the permit of the last charge.
    Renew,
}

/// Each algorithm without turns and with turns, with its numbers before and after a change.
const LIMITS: [[Numbers; 2]; 14] = [
    [Numbers::new(Kind::Counter, 2, 4), Numbers::new(Kind::Counter, 3, 7)],
    [Numbers::new(Kind::Counter, 2, 4).wait(6), Numbers::new(Kind::Counter, 3, 7).wait(6)],
    [Numbers::new(Kind::Greedy, 2, 5).burst(3), Numbers::new(Kind::Greedy, 3, 4).burst(2)],
    [Numbers::new(Kind::Greedy, 2, 5).borrow(1), Numbers::new(Kind::Greedy, 1, 3).borrow(1)],
    [Numbers::new(Kind::Greedy, 2, 5).wait(6), Numbers::new(Kind::Greedy, 3, 4).wait(6)],
    [Numbers::new(Kind::Interval, 2, 4).burst(3), Numbers::new(Kind::Interval, 1, 3).burst(3)],
    [Numbers::new(Kind::Interval, 2, 4).wait(6), Numbers::new(Kind::Interval, 1, 3).wait(6)],
    [Numbers::new(Kind::Leaky, 2, 5).burst(3), Numbers::new(Kind::Leaky, 3, 4).burst(2)],
    [Numbers::new(Kind::Leaky, 2, 5).wait(6), Numbers::new(Kind::Leaky, 1, 4).wait(6)],
    [Numbers::new(Kind::Window, 3, 4), Numbers::new(Kind::Window, 2, 4)],
    [Numbers::new(Kind::Window, 3, 4).wait(5), Numbers::new(Kind::Window, 2, 4).wait(5)],
    [Numbers::new(Kind::Log, 2, 4), Numbers::new(Kind::Log, 3, 3)],
    [Numbers::new(Kind::Log, 2, 4).wait(5), Numbers::new(Kind::Log, 3, 3).wait(5)],
    PERMITS,
];
const PERMITS: [Numbers; 2] =
    [Numbers::new(Kind::Concurrency, 2, 1000), Numbers::new(Kind::Concurrency, 3, 1500)];
const WAITING_PERMITS: [Numbers; 2] = [PERMITS[0].wait(1200), PERMITS[1].wait(1200)];

/// A subject for each single limit.
pub(super) fn limits() -> Vec<Subject> {
    let all = LIMITS.into_iter().chain([WAITING_PERMITS]);
    all.map(|versions| {
        let (letters, core) = of_one(&versions[0]);
        Subject { name: name(&versions[0]), members: vec![versions], letters, core }
    })
    .collect()
}

/// A subject for each ordered pair of different limits.
pub(super) fn stacks() -> Vec<Subject> {
    let all: Vec<[Numbers; 2]> = LIMITS.into_iter().chain([WAITING_PERMITS]).collect();
    let mut stacks = Vec::new();
    for (i, first) in all.iter().enumerate() {
        for (_, second) in all.iter().enumerate().filter(|(j, _)| *j != i) {
            let (letters, core) = of_two(&first[0], &second[0]);
            let name = format!("{} + {}", name(&first[0]), name(&second[0]));
            stacks.push(Subject { name, members: vec![*first, *second], letters, core });
        }
    }
    stacks
}

fn name(numbers: &Numbers) -> String {
    numbers.limit().to_string()
}

fn letters(pauses: &[u64], deeds: &[Deed]) -> Vec<Letter> {
    let of_pause = |pause: &u64| {
        let pause = *pause;
        deeds.iter().map(move |deed| Letter { pause, deed: *deed }).collect::<Vec<_>>()
    };
    pauses.iter().flat_map(of_pause).collect()
}

const fn ask(mode: Mode, cost: u32, version: usize) -> Deed {
    Deed::Ask(mode, [cost, cost], version)
}

/// The letters of one limit, and the size of their core.
fn of_one(numbers: &Numbers) -> (Vec<Letter>, usize) {
    let ms = |ms: u64| ms * 1000;
    if numbers.kind == Kind::Concurrency {
        let deeds = [
            ask(Mode::Charge, 1, 0),
            Deed::Give,
            ask(Mode::Check, 2, 1),
            Deed::Renew,
            Deed::AskAgain,
            ask(Mode::Charge, 2, 0),
        ];
        return with_core(&[0, 600, 1000].map(ms), &deeds);
    }
    let deeds = [
        ask(Mode::Check, 1, 0),
        ask(Mode::Charge, 2, 0),
        ask(Mode::Check, 1, 1),
        Deed::Give,
        Deed::Take(1),
        ask(Mode::Charge, 1, 1),
        Deed::GiveOne,
    ];
    let short = if numbers.kind == Kind::Log { 500 } else { ms(1) };
    with_core(&[0, short, ms(numbers.time)], &deeds)
}

fn of_two(first: &Numbers, second: &Numbers) -> (Vec<Letter>, usize) {
    let has_permits = [first, second].iter().any(|numbers| numbers.kind == Kind::Concurrency);
    let pauses = [0, 2000, if has_permits { 1_000_000 } else { 1000 * first.time }];
    let deeds = [
        Deed::Ask(Mode::Check, [1, 1], 0),
        Deed::Ask(Mode::Charge, [1, 2], 0),
        Deed::Ask(Mode::Charge, [2, 1], 1),
        Deed::Give,
    ];
    with_core(&pauses, &deeds)
}

/// Returns all combinations of a deed and a pause, and the size of the core. The letters of the core come first: each deed
/// once, with the pauses in turn.
fn with_core(pauses: &[u64], deeds: &[Deed]) -> (Vec<Letter>, usize) {
    let mut all = letters(pauses, deeds);
    let places: Vec<usize> = (0..deeds.len()).map(|deed| deed % pauses.len() * deeds.len() + deed).collect();
    let (core, others): (Vec<_>, Vec<_>) =
        all.drain(..).enumerate().partition(|(place, _)| places.contains(place));
    let size = core.len();
    (core.into_iter().chain(others).map(|(_, letter)| letter).collect(), size)
}
