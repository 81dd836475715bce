//! An algorithm with a state for each key, as a server would store it.

use crate::models::definitions::calendar::offset;
use crate::models::definitions::{Answer, Kind, Numbers};
use crate::models::random::operations::{Operation, Outcome};
use mlua::{Function, Lua, Table, Value};
use ratelimit::__testing;
use ratelimit::store::{Change, Mode};
use std::collections::HashMap;

/// 2^53 - 1: never.
pub(super) const NEVER: u64 = (1 << 53) - 1;

/// Returns the shared parts of the scripts: `head.lua` and the algorithms.
pub(crate) fn parts() -> String {
    let [decide, _] = __testing::scripts();
    let driver = concat!(include_str!("../../../lua/requests.lua"), include_str!("../../../lua/decide.lua"));
    decide.strip_suffix(driver).expect("the driver comes last").to_owned()
}

/// Returns the name of the script's algorithm, and its rate in lowest terms.
pub(super) fn algorithm(numbers: &Numbers) -> (&'static str, u64, u64) {
    if let Some((window, zone)) = numbers.window() {
        let name = match window {
            "hour" => "counter_hour",
            "day" => "counter_day",
            "week" => "counter_week",
            _ => "counter_month",
        };
        return (name, numbers.count.into(), (offset(zone) + 86_400_000).unsigned_abs());
    }
    let (count, time) = (u64::from(numbers.count), numbers.time);
    let (mut divisor, mut rest) = (count, time);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    match numbers.kind {
        Kind::Counter => ("counter", count, time),
        Kind::Greedy => ("token_bucket", count / divisor, time / divisor),
        Kind::Interval => ("token_bucket_interval", count, time),
        Kind::Leaky if numbers.is_queue() => ("leaky_bucket_queue", count / divisor, time / divisor),
        Kind::Leaky => ("leaky_bucket", count / divisor, time / divisor),
        Kind::Window => ("sliding_window", count, time),
        Kind::Log => ("sliding_log", count, time),
        Kind::Concurrency => ("concurrency", count, time),
    }
}

/// The text of a state, and the last ms in which it exists.
#[derive(Clone, Debug)]
struct State {
    text: mlua::String,
    end: u64,
}

pub(crate) struct Interpreted {
    _lua: Lua,
    numbers: Numbers,
    chunk: Function,
    clock: Table,
    arguments: (Table, Table, Table),
    states: HashMap<usize, State>,
    now_ms: u64,
    functions: Option<(Function, Function, Function)>,
}

impl Interpreted {
    /// Uses `parts` as the shared parts of the scripts.
    pub(crate) fn new(numbers: Numbers, parts: &str) -> Self {
        let lua = Lua::new();
        let text = format!("local redis, ARGV, KEYS, LIMIT = ...\n{parts}\n{}", include_str!("driver.lua"));
        let chunk = lua.load(text).into_function().unwrap();
        let (redis, clock) = (lua.create_table().unwrap(), lua.create_table().unwrap());
        redis.set("clock", &clock).unwrap();
        let call: Function =
            lua.load("local clock = ...; return function() return clock end").call(&clock).unwrap();
        redis.set("call", call).unwrap();
        let limit = lua.create_table().unwrap();
        let (name, count, time_ms) = algorithm(&numbers);
        limit.set("name", name).unwrap();
        let fields = [
            ("count", count),
            ("time_ms", time_ms),
            ("burst", numbers.capacity().into()),
            ("wait_ms", numbers.wait),
        ];
        for (field, number) in fields {
            limit.set(field, number).unwrap();
        }
        let arguments = (redis, lua.create_table().unwrap(), limit);
        Self {
            _lua: lua,
            numbers,
            chunk,
            clock,
            arguments,
            states: HashMap::new(),
            now_ms: 0,
            functions: None,
        }
    }

    /// Sets the clock, in µs.
    pub(crate) fn set_clock(&mut self, now: u64) {
        self.now_ms = now / 1000;
        self.clock.raw_set(1, now / 1_000_000).unwrap();
        self.clock.raw_set(2, now % 1_000_000).unwrap();
        let (redis, argv, limit) = self.arguments.clone();
        self.functions = Some(self.chunk.call((redis, argv.clone(), argv, limit)).unwrap());
        self.states.retain(|_, state| state.end >= self.now_ms);
    }

    /// Makes an operation on a key, as a driver does.
    pub(crate) fn make(&mut self, key: usize, operation: Operation) -> Outcome {
        let (decide, take, give) = self.functions.clone().expect("the clock is set");
        let text = self.states.get(&key).map(|state| state.text.clone());
        match operation {
            Operation::Decide { mode, cost, keep, .. } => {
                let is_bucket = matches!(self.numbers.kind, Kind::Greedy | Kind::Interval | Kind::Leaky);
                let may_wait = mode == Mode::Charge && (keep == 0 || is_bucket);
                let patience = if may_wait { self.numbers.wait } else { 0 };
                let charges = mode != Mode::Peek;
                let (wait, room, reset, text, ttl): (u64, i64, u64, Value, Option<u64>) =
                    decide.call((text, cost, keep, patience, charges)).unwrap();
                let is_charged = self.write(key, text, ttl, reset);
                let allowed = wait <= patience;
                Outcome::Answer(Answer {
                    allowed,
                    delay: if allowed { wait } else { 0 },
                    limit: self.numbers.capacity(),
                    remaining: u32::try_from(room.max(0)).unwrap(),
                    retry_after: (!allowed && wait != NEVER).then_some(wait),
                    reset_after: reset,
                    stamp: if is_charged && mode == Mode::Charge { self.now_ms + reset } else { 0 },
                })
            }
            Operation::Adjust { units, change } => {
                let (changed, text, ttl): (u32, Value, Option<u64>) = match change {
                    Change::Take => take.call((text, units)).unwrap(),
                    Change::Give(stamp) => give.call((text, units, stamp)).unwrap(),
                    other => panic!("{other:?}"),
                };
                self.write(key, text, ttl, 0);
                Outcome::Units(changed)
            }
        }
    }

    /// Stores a state. Returns whether there was one. It must exist until nothing is in use, but not too long.
    fn write(&mut self, key: usize, text: Value, ttl: Option<u64>, reset: u64) -> bool {
        let text = match text {
            Value::String(text) => text,
            Value::Boolean(_) => {
                self.states.remove(&key);
                return false;
            }
            _ => return false,
        };
        let end = match ttl {
            Some(ttl) => {
                assert!(
                    0 < ttl && ttl <= self.numbers.longest_ttl(),
                    "{:?}: a TTL of {ttl} ms",
                    self.numbers
                );
                self.now_ms + ttl
            }
            None => self.states[&key].end,
        };
        assert!(self.now_ms + reset <= end, "{:?}: collected before {reset} ms have passed", self.numbers);
        self.states.insert(key, State { text, end });
        true
    }
}
