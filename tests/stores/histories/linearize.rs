//! Searches for an order of a key's calls that the definition allows. Each call takes effect at one time between its sending
//! and its reply. A call without a reply takes effect at one time after its sending, or never.

use super::history::{Call, History, Outcome};
use crate::models::definitions::{Answer, Definition, Numbers};
use ratelimit::store::Mode;
use std::collections::HashSet;

/// The calls with a reply in the order of their sending, and the sending times of the calls without a reply.
struct Search<'h> {
    numbers: Numbers,
    definite: Vec<Call>,
    unknown: Vec<u64>,
    losses: &'h [u64],
    /// Whether the remaining units in the replies must equal the remaining units of the definition.
    exact: bool,
    /// The criterion that selects the next call to try.
    first: First,
    /// The states from which the search found no order.
    failed: HashSet<String>,
    /// The most calls for which the search found an order, for the report.
    most: usize,
}

/// The criterion that selects the next call to try. A search with `Effect` comes first. If it finds no order, a search with
/// `Reply` follows.
#[derive(Clone, Copy)]
enum First {
    /// The call with the earliest effect, because it leaves the most time for the other calls. If several are equal, the call
    /// with the earliest reply comes first.
    Effect,
    /// The call with the earliest reply, because it cannot wait. If another call took a unit first, no unit might be left for
    /// this call.
    Reply,
}

/// The number of steps after which the search gives up. The histories of the tests need about one step per call.
const MOST_STEPS: usize = 200_000;

/// A prefix of an order.
struct Prefix {
    definition: Box<dyn Definition>,
    now: u64,
    /// The index of the first call that is not in the prefix, and for each later call whether it is in the prefix.
    first: usize,
    later: Vec<bool>,
    /// The number of calls without a reply that took effect, and the number of losses.
    unknown: usize,
    losses: usize,
    /// The number of lost units.
    lost: u64,
    placed: usize,
}

/// Searches for an order in which the definition makes the same decisions as the servers, with the same remaining units. The
/// limit's time must be longer than the history, so that the exact times do not matter. Returns the number of units that the
/// servers have lost.
pub(super) fn in_any_order(numbers: Numbers, history: &History) -> Result<u64, String> {
    search(numbers, history, true)
}

/// Searches for an order and for times at which the definition admits the same calls as the servers. The order omits refused
/// calls, because they changed nothing. It also omits calls without a reply, because they could only take up room. Each call
/// takes effect as early as it can, because this leaves the most room for later calls. (All of this holds for logs and buckets,
/// whose units come back one by one.)
pub(super) fn at_some_time(numbers: Numbers, history: &History) -> Result<(), String> {
    let is_admitted = |call: &&Call| matches!(call.outcome, Outcome::Admitted(_));
    let calls = history.calls.iter().filter(is_admitted).copied().collect();
    search(numbers, &History { calls, losses: history.losses.clone() }, false).map(drop)
}

fn search(numbers: Numbers, history: &History, exact: bool) -> Result<u64, String> {
    let search = |first| search_with(numbers, history, exact, first);
    search(First::Effect).or_else(|_| search(First::Reply))
}

fn search_with(numbers: Numbers, history: &History, exact: bool, first: First) -> Result<u64, String> {
    let (mut unknown, mut definite): (Vec<Call>, Vec<Call>) =
        history.calls.iter().partition(|call| call.outcome == Outcome::Unknown);
    definite.sort_by_key(|call| call.sent);
    unknown.sort_by_key(|call| call.sent);
    let unknown = unknown.iter().map(|call| call.sent).collect();
    let mut search = Search {
        numbers,
        definite,
        unknown,
        losses: &history.losses,
        exact,
        first,
        failed: HashSet::new(),
        most: 0,
    };
    // The search is depth-first. It uses the heap instead of the stack, because a history has thousands of calls.
    let mut path = vec![search.begin()];
    let mut choices = vec![search.choices(&path[0])];
    for _ in 0..MOST_STEPS {
        let depth = path.len() - 1;
        if search.is_complete(&path[depth]) {
            return Ok(path[depth].lost);
        }
        match choices[depth].pop() {
            Some(next) => {
                search.most = search.most.max(next.placed);
                choices.push(search.choices(&next));
                path.push(next);
            }
            None if depth == 0 => return Err(search.report()),
            None => {
                choices.pop();
                if let Some(dead) = path.pop() {
                    search.failed.insert(dead.state());
                }
            }
        }
    }
    Err(search.report())
}

impl Prefix {
    /// The part of the prefix that determines how the order can continue.
    fn state(&self) -> String {
        let Self { definition, first, later, unknown, losses, .. } = self;
        let later: String = later.iter().map(|is_placed| if *is_placed { '1' } else { '0' }).collect();
        format!("{first} {later} {unknown} {losses} {definition:?}")
    }

    fn with(&self, definition: Box<dyn Definition>, now: u64) -> Self {
        Self { definition, now, later: self.later.clone(), ..*self }
    }

    /// Adds the call with this index.
    fn place(&mut self, at: usize) {
        let after = at - self.first;
        if self.later.len() <= after {
            self.later.resize(after + 1, false);
        }
        self.later[after] = true;
        let done = self.later.iter().take_while(|is_placed| **is_placed).count();
        self.later.drain(..done);
        self.first += done;
        self.placed += 1;
    }
}

impl Search<'_> {
    fn begin(&self) -> Prefix {
        let definition = self.numbers.definition();
        Prefix { definition, now: 0, first: 0, later: Vec::new(), unknown: 0, losses: 0, lost: 0, placed: 0 }
    }

    fn is_complete(&self, prefix: &Prefix) -> bool {
        prefix.first == self.definite.len()
    }

    /// The prefixes with one more call or loss. The prefix to try first comes last.
    fn choices(&mut self, prefix: &Prefix) -> Vec<Prefix> {
        if self.failed.contains(&prefix.state()) {
            return Vec::new();
        }
        // If a call was sent after the reply to another call, it must come after that call.
        let (mut end, mut candidates) = (u64::MAX, Vec::new());
        for (after, call) in self.definite[prefix.first..].iter().enumerate() {
            if call.sent > end {
                break;
            }
            if prefix.later.get(after) != Some(&true) {
                end = end.min(call.received);
                candidates.push((prefix.first + after, *call));
            }
        }
        candidates.retain(|(_, call)| call.sent <= end);
        let mut choices = Vec::new();
        choices.extend(self.losses(prefix, end, &candidates));
        choices.extend(self.unknown(prefix, end));
        let next = |(at, call): &(usize, Call)| Some((self.next(prefix, *at, call)?, call.received));
        let mut ordered: Vec<_> = candidates.iter().filter_map(next).collect();
        ordered.sort_by_key(|(next, received)| {
            std::cmp::Reverse(match self.first {
                First::Effect => (next.now, *received),
                First::Reply => (*received, next.now),
            })
        });
        choices.extend(ordered.into_iter().map(|(next, _)| next));
        choices
    }

    /// Returns the prefix with one more call. In the search for times, the call takes effect at the earliest time at which the
    /// definition admits it. `None` if the call cannot come next.
    fn next(&self, prefix: &Prefix, at: usize, call: &Call) -> Option<Prefix> {
        let mut now = prefix.now.max(call.sent);
        if !self.exact {
            now = earliest(&*prefix.definition, now).filter(|now| *now <= call.received)?;
        }
        let mut definition = prefix.definition.copy();
        let answer = definition.decide(now, Mode::Check, 1, 0);
        if self.exact && !agrees(&answer, call.outcome) {
            return None;
        }
        let mut next = prefix.with(definition, now);
        next.place(at);
        Some(next)
    }

    /// Returns the prefix with one more call that has no reply, or `None` if no such call can come next. All such calls have
    /// the same cost, so only the call that was sent first is tried.
    fn unknown(&self, prefix: &Prefix, end: u64) -> Option<Prefix> {
        let sent = *self.unknown.get(prefix.unknown).filter(|sent| self.exact && **sent <= end)?;
        let (mut definition, now) = (prefix.definition.copy(), prefix.now.max(sent));
        let answer = definition.decide(now, Mode::Check, 1, 0);
        answer.allowed.then(|| Prefix { unknown: prefix.unknown + 1, ..prefix.with(definition, now) })
    }

    /// The prefixes with one more loss. In the first prefix, the server has lost no units. In each other prefix, the server has
    /// forgotten exactly so many units that the definition gives the reply to one of the next calls. In the search for times,
    /// the only other prefix is the loss of all units, because this loss allows the most calls.
    fn losses(&self, prefix: &Prefix, end: u64, candidates: &[(usize, Call)]) -> Vec<Prefix> {
        let Some(at) = self.losses.get(prefix.losses).filter(|at| **at <= end) else { return Vec::new() };
        let now = prefix.now.max(*at);
        let used = |definition: &dyn Definition| {
            self.numbers.count - definition.copy().decide(now, Mode::Peek, 0, 0).remaining
        };
        let before = used(&*prefix.definition);
        let mut left: Vec<u32> = if self.exact {
            let outcomes = candidates.iter().map(|(_, call)| call.outcome);
            outcomes.filter_map(|outcome| used_before(outcome, self.numbers.count)).collect()
        } else {
            vec![0]
        };
        left.retain(|left| *left < before);
        left.sort_unstable();
        left.dedup();
        let forget = |left: u32| {
            let mut definition = self.numbers.definition();
            definition.take(now, left);
            let lost = prefix.lost + u64::from(before - left);
            Prefix { losses: prefix.losses + 1, lost, ..prefix.with(definition, now) }
        };
        let skipped = Prefix { losses: prefix.losses + 1, ..prefix.with(prefix.definition.copy(), now) };
        std::iter::once(skipped).chain(left.into_iter().map(forget)).collect()
    }

    /// Shows the calls around the end of the longest order that was found. Times are in µs since the first of these calls was
    /// sent.
    fn report(&self) -> String {
        let from = self.most.saturating_sub(30);
        let around = &self.definite[from..self.definite.len().min(self.most + 8)];
        let start = around.first().map_or(0, |call| call.sent);
        let shown: Vec<String> = around
            .iter()
            .map(|call| format!("  {} to {}: {:?}", call.sent - start, call.received - start, call.outcome))
            .collect();
        format!(
            "{:?}: no order for more than {} of {} calls, with {} calls without a reply, around\n{}",
            self.numbers,
            self.most,
            self.definite.len(),
            self.unknown.len(),
            shown.join("\n")
        )
    }
}

/// Returns the first time in µs, from `from` on, at which a call of one unit passes. `None` if it never passes. The
/// definition's `retry_after` is exact only to 1 ms, so this function searches for the exact time.
fn earliest(definition: &dyn Definition, from: u64) -> Option<u64> {
    let decide = |now: u64| definition.copy().decide(now, Mode::Peek, 1, 0);
    let answer = decide(from);
    if answer.allowed {
        return Some(from);
    }
    let (mut refused, mut passes) = (from, from + answer.retry_after? * 1000);
    while passes - refused > 1 {
        let middle = refused.midpoint(passes);
        if decide(middle).allowed {
            passes = middle;
        } else {
            refused = middle;
        }
    }
    Some(passes)
}

/// Returns the units in use before a call with this outcome. `None` if the call has no reply, or if the reply is impossible.
fn used_before(outcome: Outcome, count: u32) -> Option<u32> {
    match outcome {
        Outcome::Admitted(remaining) => count.checked_sub(remaining + 1),
        Outcome::Refused(remaining) => count.checked_sub(remaining),
        Outcome::Unknown => None,
    }
}

fn agrees(answer: &Answer, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Admitted(remaining) => answer.allowed && answer.remaining == remaining,
        Outcome::Refused(remaining) => !answer.allowed && answer.remaining == remaining,
        Outcome::Unknown => true,
    }
}
