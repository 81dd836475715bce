//! The complete scripts on a server in the interpreter. A test can store a state of the server, and make several calls from it.

use super::parts::algorithm;
use crate::models::definitions::{Answer, Kind, Numbers};
use mlua::{Function, Lua, Table, Value};
use ratelimit::__testing;
use ratelimit::store::{Change, Mode};

/// 2^53 - 1, which means never.
const NEVER: u64 = (1 << 53) - 1;

/// A state of the server. It never changes, because each call creates a new state.
pub(crate) struct Keys(i64);

/// A request for the key with this number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) key: usize,
    pub(crate) numbers: Numbers,
    pub(crate) cost: u32,
    pub(crate) keep: u32,
    pub(crate) permit: u64,
}

pub(crate) struct Server {
    lua: Lua,
    run: Function,
    describe: Function,
    add: Function,
    forget: Function,
    decide: Function,
    adjust: Function,
    /// The scripts for single requests, by name.
    single: Vec<(&'static str, Function)>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let [decide, adjust] = __testing::scripts();
        Self::with_scripts(decide, adjust)
    }

    pub(crate) fn with_scripts(decide: &str, adjust: &str) -> Self {
        let lua = Lua::new();
        let (run, describe, add, forget) = lua.load(include_str!("server.lua")).call(()).unwrap();
        let load = |text: &str| lua.load(text).into_function().unwrap();
        let single = __testing::single_scripts().map(|(name, text)| (name, load(text))).into();
        Self { decide: load(decide), adjust: load(adjust), single, run, describe, add, forget, lua }
    }

    pub(crate) fn empty(&self) -> Keys {
        Keys(self.add.call(()).unwrap())
    }

    /// A text that differs for different keys.
    pub(crate) fn describe(&self, keys: &Keys) -> String {
        self.describe.call(keys.0).unwrap()
    }

    /// Removes a state, so that its place can be used again.
    pub(crate) fn forget(&self, keys: &Keys) {
        self.forget.call::<()>(keys.0).unwrap();
    }

    /// Decides requests at this time in µs. Several requests are a stack.
    pub(crate) fn decide(&self, keys: &Keys, now: u64, mode: Mode, stack: &[Asked]) -> (Keys, Vec<Answer>) {
        let mode_name = match mode {
            Mode::Check => "check",
            Mode::Charge => "charge",
            Mode::Peek => "peek",
            other => panic!("{other:?}"),
        };
        let mut arguments = vec![mode_name.to_owned(), "0".to_owned()];
        for (at, asked) in stack.iter().enumerate() {
            arguments.extend(limit(&asked.numbers, asked.permit));
            let n = u32::from(at + 1 == stack.len());
            arguments.extend([n.to_string(), asked.cost.to_string(), extra(asked)]);
        }
        let names = stack.iter().map(|asked| asked.key);
        let (reply, keys): (String, Keys) = self.run(&self.decide, keys, now, names, arguments);
        let mut doubles = reply.split_whitespace().map(|number| number.parse::<i64>().unwrap());
        let answers = stack.iter().map(|asked| read(&mut doubles, mode, &asked.numbers)).collect();
        assert_eq!(doubles.next(), None);
        (keys, answers)
    }

    /// Makes an adjustment of a limit at the key with the number `key`. Returns the number of changed units.
    pub(crate) fn adjust(
        &self,
        keys: &Keys,
        now: u64,
        (key, numbers): (usize, &Numbers),
        units: u32,
        change: Change,
    ) -> (Keys, u32) {
        let (name, stamp) = match change {
            Change::Give(stamp) => ("give", stamp),
            Change::Take => ("take", 0),
            Change::Used => ("used", 0),
            Change::Renew(id) => ("renew", id),
            Change::Block(ms) => ("block", ms),
            Change::Open => ("open", 0),
            Change::Pause(ms) => ("pause", ms),
            Change::Closed => ("closed", 0),
            other => panic!("{other:?}"),
        };
        let mut arguments = vec![name.to_owned()];
        arguments.extend(limit(numbers, stamp));
        arguments.extend([units.to_string(), stamp.to_string()]);
        let (reply, keys): (Table, Keys) = self.run(&self.adjust, keys, now, [key], arguments);
        (keys, reply.get(1).unwrap())
    }

    /// Decides one plain request with the script for single requests. Returns `None` if that script leaves the request to
    /// `decide`.
    pub(crate) fn decide_single(&self, keys: &Keys, now: u64, asked: &Asked) -> Option<(Keys, Answer)> {
        let Asked { key, numbers, cost, permit, .. } = *asked;
        let (algorithm, count, time) = algorithm(&numbers);
        let (name, last) = match numbers.kind {
            Kind::Counter | Kind::Window => (algorithm, vec![cost.into()]),
            Kind::Greedy | Kind::Leaky => ("token_bucket", vec![numbers.capacity().into(), cost.into()]),
            Kind::Log if cost == 1 => (algorithm, vec![]),
            Kind::Concurrency if cost == 1 => (algorithm, vec![permit]),
            Kind::Interval | Kind::Log | Kind::Concurrency => return None,
        };
        if numbers.wait > 0 || cost == 0 || cost > numbers.capacity() {
            return None;
        }
        let (_, script) = self.single.iter().find(|(of, _)| *of == name).unwrap();
        let arguments = [count, time].into_iter().chain(last).map(|number| number.to_string());
        let (reply, keys): (Value, Keys) = self.run(script, keys, now, [key], arguments.collect());
        let numbers_of = |reply: &Value| match reply {
            Value::Table(fields) => fields.sequence_values::<i64>().map(Result::unwrap).collect::<Vec<_>>(),
            other => vec![other.as_f64().map_or_else(|| other.as_integer().unwrap(), whole)],
        };
        if reply.is_nil() {
            self.forget(&keys);
            return None;
        }
        Some((keys, read_single(&numbers, cost, &numbers_of(&reply))))
    }

    fn run<R: mlua::FromLua>(
        &self,
        script: &Function,
        keys: &Keys,
        now: u64,
        names: impl IntoIterator<Item = usize>,
        arguments: Vec<String>,
    ) -> (R, Keys) {
        let names = self.lua.create_sequence_from(names.into_iter().map(|key| format!("k{key}"))).unwrap();
        let arguments = self.lua.create_sequence_from(arguments).unwrap();
        let (reply, keys) = self.run.call((script, keys.0, now, names, arguments)).unwrap();
        (reply, Keys(keys))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the scripts reply integers below 2^53")]
fn whole(number: f64) -> i64 {
    number as i64
}

/// Returns the five arguments that describe a limit. A run of `decide` starts with them. In an adjustment, they follow the name
/// of the change.
fn limit(numbers: &Numbers, permit: u64) -> [String; 5] {
    let (name, count, time) = algorithm(numbers);
    let burst = if numbers.kind == Kind::Concurrency { permit } else { numbers.capacity().into() };
    [name.to_owned(), count.to_string(), time.to_string(), burst.to_string(), numbers.wait.to_string()]
}

/// Returns the argument with the units that the call leaves to others, and the steps of a block.
pub(crate) fn extra(Asked { numbers, keep, .. }: &Asked) -> String {
    let steps = numbers.block.iter().filter(|ms| **ms > 0);
    steps.fold(keep.to_string(), |extra, ms| format!("{extra}:{ms}"))
}

/// Returns the longest reset of the limit in ms. In a reply of one number, the remaining units are multiplied by this time plus
/// 1.
fn longest_reset(numbers: &Numbers) -> i64 {
    let (capacity, count, time) = (u64::from(numbers.capacity()), u64::from(numbers.count), numbers.time);
    let longest = match numbers.kind {
        Kind::Greedy | Kind::Leaky => (capacity * time).div_ceil(count),
        Kind::Interval => capacity.div_ceil(count) * time,
        Kind::Window => 2 * time,
        Kind::Counter | Kind::Log | Kind::Concurrency => time,
    };
    longest.cast_signed()
}

/// Parses the decision about a request, as `decide.lua` documents it.
fn read(doubles: &mut impl Iterator<Item = i64>, mode: Mode, numbers: &Numbers) -> Answer {
    let mut next = || doubles.next().unwrap();
    let base = longest_reset(numbers) + 1;
    let first = next();
    let is_packed = mode != Mode::Charge && (0..NEVER.cast_signed()).contains(&first);
    let (delay, remaining, reset) = match first {
        _ if is_packed => (0, first / base, first % base),
        delay if mode != Mode::Charge && delay > 0 => (0, next(), next()),
        delay => (delay, next(), next()),
    };
    let stamp = if mode == Mode::Charge { next() } else { 0 };
    answer(numbers, delay, remaining, reset, stamp)
}

fn read_single(numbers: &Numbers, cost: u32, reply: &[i64]) -> Answer {
    let (count, time, base) =
        (i64::from(numbers.count), numbers.time.cast_signed(), longest_reset(numbers) + 1);
    let is_bucket = matches!(numbers.kind, Kind::Greedy | Kind::Leaky);
    let is_list = matches!(numbers.kind, Kind::Log | Kind::Concurrency);
    let (delay, remaining, reset) = match *reply {
        [room] if is_bucket => {
            let (_, tokens, period) = algorithm(numbers);
            let (tokens, period) = (tokens.cast_signed(), period.cast_signed());
            let up = |grains: i64| (grains + tokens - 1).div_euclid(tokens);
            let full = i64::from(numbers.capacity()) * period;
            let before = if room < 0 { room + i64::from(cost) * period } else { room };
            (up(room.min(0).abs()).saturating_neg(), before.div_euclid(period).max(0), up(full - before))
        }
        [remaining] if is_list => (0, remaining, time),
        [left] if left < 0 => (left, 0, -left),
        [packed] => (0, packed / base, packed % base),
        [remaining, reset] => (0, remaining, reset),
        [delay, reset, remaining] => (delay, remaining, reset),
        _ => panic!("{reply:?} for {count} per {time}"),
    };
    answer(numbers, delay, remaining, reset, 0)
}

/// Builds an answer. `delay` is negative for a refusal.
fn answer(numbers: &Numbers, delay: i64, remaining: i64, reset: i64, stamp: i64) -> Answer {
    let wait = delay.unsigned_abs();
    Answer {
        allowed: delay >= 0,
        delay: if delay >= 0 { wait } else { 0 },
        limit: numbers.capacity(),
        remaining: u32::try_from(remaining).unwrap(),
        retry_after: (delay < 0 && wait != NEVER).then_some(wait),
        reset_after: u64::try_from(reset).unwrap(),
        stamp: stamp.unsigned_abs(),
    }
}
