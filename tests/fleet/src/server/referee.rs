//! Judges what the scripts reply: the definition of each algorithm decides the same requests, in the order and at the times in which
//! the server has executed them.

use super::keyspace::Bytes;
use super::reply::Reply;
use super::wire::{self, Asked, Doubles, Told, integer};
use ratelimit::__testing::conformance::definitions::{Answer, Definition, Kind, Numbers};
use ratelimit::store::Mode;
use std::collections::BTreeMap;

/// The state of each key by the definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referee {
    /// `None` if the state is not known, because a script has failed after a write, or the algorithm has changed.
    keys: BTreeMap<Bytes, Option<State>>,
    /// The time of the last judged call, in us.
    last: u64,
    /// Whether nothing is judged any more. A definition does not know a clock that steps back.
    is_off: bool,
}

#[derive(Debug)]
struct State {
    numbers: Numbers,
    definition: Box<dyn Definition>,
    /// The stamps of charges, and the stamps of the same charges by the definition. Their times are equal, but not their
    /// generations: a script forgets how often a key was reset when the key expires.
    stamps: BTreeMap<u64, u64>,
}

/// The stamp of a charge is this times its generation, plus a time.
const GENERATION: u64 = 1 << 47;

impl Clone for State {
    fn clone(&self) -> Self {
        Self { numbers: self.numbers, definition: self.definition.copy(), stamps: self.stamps.clone() }
    }
}

impl State {
    fn new(numbers: Numbers) -> Self {
        Self { numbers, definition: numbers.definition(), stamps: BTreeMap::new() }
    }

    /// Compares a reply with the answers of the definition, and learns the stamp of a charge.
    fn compare(&mut self, asked: &Asked, told: Told, answers: &[Answer]) -> Result<(), String> {
        let mut told = told;
        if let (Some(stamp @ 1..), [answer]) = (told.stamp, answers)
            && self.numbers.takes_block()
            && stamp % GENERATION == answer.stamp % GENERATION
        {
            self.stamps.insert(stamp, answer.stamp);
            told.stamp = Some(answer.stamp);
        }
        compare(asked, told, answers)
    }
}

/// A call of a script.
pub(super) struct Judged<'c> {
    pub(super) digest: &'c str,
    pub(super) names: &'c [Bytes],
    pub(super) arguments: &'c [Bytes],
    pub(super) reply: &'c Reply,
    pub(super) has_written: bool,
    /// Whether the server refuses writes.
    pub(super) refuses_writes: bool,
}

impl Referee {
    pub(super) fn take(&mut self, key: &[u8]) -> Option<Self> {
        let state = self.keys.remove(key)?;
        Some(Self { keys: BTreeMap::from([(key.to_vec(), state)]), ..self.clone_empty() })
    }

    fn clone_empty(&self) -> Self {
        Self { keys: BTreeMap::new(), last: self.last, is_off: self.is_off }
    }

    pub(super) fn put(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.is_off |= other.is_off;
        // The clock of the other server may be ahead.
        self.last = self.last.max(other.last);
    }

    pub(super) fn forget(&mut self, is_gone: impl Fn(&[u8]) -> bool) {
        self.keys.retain(|key, _| !is_gone(key));
    }

    /// Judges a call at a time of the server's clock, in us. Returns what is wrong.
    pub(super) fn judge(&mut self, now: u64, call: &Judged<'_>) -> Option<String> {
        self.is_off |= now < self.last;
        self.last = self.last.max(now);
        let Some(name) = wire::name_of(call.digest) else {
            // The keys of a script for several slots are not declared.
            self.is_off |= call.names.is_empty();
            return None;
        };
        if self.is_off {
            return None;
        }
        let is_error = matches!(call.reply, Reply::Error(_));
        if is_error && !call.has_written || *call.reply == Reply::Nothing {
            return None;
        }
        if is_error || call.refuses_writes {
            self.doubt(call.names);
            return None;
        }
        let judged = match name {
            "decide" => self.decide(now, call),
            "adjust" => self.adjust(now, call),
            "reset" => self.reset(call),
            _ => self.single(now, name, call),
        };
        match judged {
            Some(Ok(())) => None,
            Some(Err(wrong)) => {
                self.doubt(call.names);
                Some(format!("{name}: {wrong}"))
            }
            None => {
                self.doubt(call.names);
                Some(format!("{name}: the arguments or the reply are malformed: {:?}", call.reply))
            }
        }
    }

    /// From now on, the states of these keys are not known.
    pub(super) fn doubt(&mut self, names: &[Bytes]) {
        self.keys.extend(names.iter().map(|name| (name.clone(), None)));
    }

    /// The definition of a key with these numbers. `None` if its state is not known.
    fn state(&mut self, key: &Bytes, numbers: Numbers, keeps_block: bool) -> Option<&mut State> {
        let new = || Some(State::new(numbers));
        let entry = self.keys.entry(key.clone()).or_insert_with(new);
        let state = entry.as_mut()?;
        let numbers = if keeps_block { numbers.block(state.numbers.block) } else { numbers };
        let of = |numbers: &Numbers| (numbers.kind, numbers.time, numbers.wait, numbers.calendar);
        let all = |numbers: &Numbers| (numbers.count, numbers.burst, numbers.block);
        // After a change of a bucket, its state may expire while units are in use by its new rate.
        let is_bucket = matches!(numbers.kind, Kind::Greedy | Kind::Interval | Kind::Leaky);
        let may_expire = is_bucket && all(&numbers) != all(&state.numbers);
        let is_same_rule = of(&numbers) == of(&state.numbers) && numbers.count > 0 && numbers.burst > 0;
        if !is_same_rule || may_expire {
            *entry = None;
            return None;
        }
        if all(&numbers) != all(&state.numbers) {
            state.definition.change(numbers);
            state.numbers = numbers;
        }
        entry.as_mut()
    }

    fn single(&mut self, now: u64, name: &str, call: &Judged<'_>) -> Option<Result<(), String>> {
        let (asked, key) = (wire::single(name, call.arguments)?, call.names.first()?);
        let told = wire::single_reply(&asked, call.reply)?;
        let Some(state) = self.state(key, asked.numbers, false) else { return Some(Ok(())) };
        let answers = decided(&mut *state.definition, now, Mode::Check, &asked);
        Some(state.compare(&asked, told, &answers))
    }

    fn decide(&mut self, now: u64, call: &Judged<'_>) -> Option<Result<(), String>> {
        let [mode, _, words @ ..] = call.arguments else { return None };
        let mode = match &**mode {
            b"check" => Mode::Check,
            b"charge" => Mode::Charge,
            _ => Mode::Peek,
        };
        let (asked, mut doubles) = (wire::runs(words)?, Doubles::of(call.reply)?);
        let mut verdict = Ok(());
        let mut at = 0;
        for stack in asked.chunk_by(|one, _| one.passes_with_next) {
            let names = call.names.get(at..at + stack.len())?;
            at += stack.len();
            let told: Vec<Told> =
                stack.iter().map(|asked| doubles.next(asked, mode == Mode::Charge)).collect::<Option<_>>()?;
            verdict = verdict.and(self.stack(now, mode, stack, names, &told));
        }
        doubles.is_empty().then_some(verdict)
    }

    /// Judges one request, or the requests of a stack.
    fn stack(
        &mut self,
        now: u64,
        mode: Mode,
        stack: &[Asked],
        names: &[Bytes],
        told: &[Told],
    ) -> Result<(), String> {
        let is_alone = stack.len() == 1;
        let mut passes = true;
        for (asked, name) in stack.iter().zip(names).filter(|_| !is_alone) {
            let Some(state) = self.state(name, asked.numbers, false) else {
                self.doubt(names);
                return Ok(());
            };
            passes &=
                state.definition.copy().decide_keeping(now, mode, asked.cost, asked.keep, asked.id).allowed;
        }
        for ((asked, name), told) in stack.iter().zip(names).zip(told) {
            let Some(state) = self.state(name, asked.numbers, false) else { continue };
            let may_change = is_alone || passes;
            let mut copy = state.definition.copy();
            let answers = decided(&mut *copy, now, mode, asked);
            // The reply about a member that passes says nothing if another member refuses.
            let is_shown = may_change || !answers[0].allowed;
            if is_shown {
                // Only the member that refuses may begin a block.
                let answers = decided(&mut *state.definition, now, mode, asked);
                state.compare(asked, *told, &answers)?;
            }
        }
        Ok(())
    }

    fn adjust(&mut self, now: u64, call: &Judged<'_>) -> Option<Result<(), String>> {
        let Reply::Array(replies) = call.reply else { return None };
        let mut verdict = Ok(());
        for ((key, words), reply) in call.names.iter().zip(call.arguments.chunks(8)).zip(replies) {
            let [change, limit @ .., units, stamp] = words else { return None };
            let (units, stamp) = (u32::try_from(integer(units)?).ok()?, integer(stamp)?);
            let (numbers, _) = wire::numbers(limit)?;
            let is_list = matches!(numbers.kind, Kind::Log | Kind::Concurrency);
            let Some(state) = self.state(key, numbers, true) else { continue };
            let stamp = match state.stamps.get(&stamp) {
                Some(defined) => *defined,
                // The charge was made while the state was not known.
                None if &**change == b"give" && !is_list => {
                    self.doubt(std::slice::from_ref(key));
                    continue;
                }
                None => stamp,
            };
            let state = &mut state.definition;
            let expected = match &**change {
                b"give" => state.give(now, units, stamp),
                b"take" => state.take(now, units),
                b"used" => state.used(now),
                b"renew" => state.renew(now, stamp),
                b"block" => state.block(now, stamp),
                b"open" => state.open(now),
                b"pause" => state.pause(now, stamp),
                b"closed" => state.closed(now),
                _ => return None,
            };
            let found =
                if let Reply::Integer(found) = reply { u32::try_from(*found).ok()? } else { return None };
            // A store may report units of a list that no longer count.
            let is_right = found == expected || is_list && expected == 0 && &**change == b"give";
            if !is_right {
                let change = String::from_utf8_lossy(change);
                verdict = Err(format!("{change} {units} replied {found}, expected {expected}"));
            }
        }
        Some(verdict)
    }

    /// A number begins again, and knows which charges are from before. Any other state is forgotten.
    fn reset(&mut self, call: &Judged<'_>) -> Option<Result<(), String>> {
        let ([key], Reply::Integer(existed)) = (call.names, call.reply) else { return None };
        match self.keys.get_mut(key) {
            Some(Some(state)) if state.numbers.takes_block() => {
                if *existed == 1 {
                    let resets = state.definition.generation() + 1;
                    state.definition = state.numbers.after_resets(resets);
                }
            }
            _ => drop(self.keys.remove(key)),
        }
        Some(Ok(()))
    }
}

/// The answers of the definition: as many as there are merged requests.
fn decided(state: &mut dyn Definition, now: u64, mode: Mode, asked: &Asked) -> Vec<Answer> {
    let one = |_| state.decide_keeping(now, mode, asked.cost, asked.keep, asked.id);
    (0..asked.merged).map(one).collect()
}

fn compare(asked: &Asked, told: Told, answers: &[Answer]) -> Result<(), String> {
    let passed = answers.iter().take_while(|answer| answer.allowed).count();
    // Merged requests have one reply: the state after the last request that passes, and the wait of the others.
    let Some(shown) = answers.get(passed.saturating_sub(1)) else { return Ok(()) };
    let expected = Told {
        passed,
        delay: shown.delay,
        remaining: shown.remaining.into(),
        retry: answers.get(passed).and_then(|refused| refused.retry_after),
        reset: shown.reset_after,
        stamp: told.stamp.map(|_| shown.stamp),
    };
    if told == expected {
        return Ok(());
    }
    let Asked { numbers, cost, keep, .. } = asked;
    Err(format!("{numbers:?} cost {cost} keep {keep} replied {told:?}, expected {expected:?}"))
}
