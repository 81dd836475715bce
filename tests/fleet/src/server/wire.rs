//! Reads the arguments and the replies of the scripts, as the comments of the scripts document them. The client has other code for
//! this, so a mistake there is not repeated here.

use super::keyspace::Bytes;
use super::reply::Reply;
use ratelimit::__testing::conformance::definitions::{Kind, Numbers};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The scripts, by their digests.
static SCRIPTS: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    let [decide, adjust] = ratelimit::__testing::scripts();
    let all = [("decide", decide), ("adjust", adjust), ("reset", ratelimit::__testing::reset_script())];
    let all = all.into_iter().chain(ratelimit::__testing::single_scripts());
    all.map(|(name, text)| (super::scripts::digest(text.as_bytes()), name)).collect()
});

/// The name of a script: `decide`, `adjust`, `reset`, or that of a script for single requests. `None` for any other script.
pub(super) fn name_of(digest: &str) -> Option<&'static str> {
    SCRIPTS.get(digest).copied()
}

/// A request in the arguments of a script.
pub(super) struct Asked {
    pub(super) numbers: Numbers,
    pub(super) cost: u32,
    pub(super) keep: u32,
    /// The id of the permit.
    pub(super) id: u64,
    /// The number of merged requests. 1 if the request is not merged.
    pub(super) merged: usize,
    /// Whether the request passes only together with the next one.
    pub(super) passes_with_next: bool,
}

/// A decision in the reply of a script. Times are in ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// The number of requests that pass.
    pub(super) passed: usize,
    pub(super) delay: u64,
    pub(super) remaining: u64,
    /// For a refusal. `None` means never.
    pub(super) retry: Option<u64>,
    pub(super) reset: u64,
    /// `None` if the reply has no stamp.
    pub(super) stamp: Option<u64>,
}

const NEVER: i64 = (1 << 53) - 1;

pub(super) fn integer(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn small(text: &[u8]) -> Option<u32> {
    u32::try_from(integer(text)?).ok()
}

/// Reads an algorithm and its numbers: `algorithm, count, time_ms, burst, wait_ms`. The burst of a concurrency limit is the id
/// of a permit, which is returned beside the numbers.
pub(super) fn numbers(words: &[Bytes]) -> Option<(Numbers, u64)> {
    let [name, count, time, burst, wait, ..] = words else { return None };
    let (name, count, time) = (std::str::from_utf8(name).ok()?, small(count)?, integer(time)?);
    let kind = match name {
        "token_bucket" => Kind::Greedy,
        "token_bucket_interval" => Kind::Interval,
        "leaky_bucket" | "leaky_bucket_queue" => Kind::Leaky,
        "sliding_window" => Kind::Window,
        "sliding_log" => Kind::Log,
        "concurrency" => Kind::Concurrency,
        _ => Kind::Counter,
    };
    let plain = Numbers::new(kind, count, time).wait(integer(wait)?);
    Some(match (kind, name.strip_prefix("counter_")) {
        (Kind::Counter, Some(window)) => (of_the_calendar(plain, window), 0),
        (Kind::Concurrency, _) => (plain, integer(burst)?),
        (Kind::Greedy | Kind::Interval, _) => (plain.burst(small(burst)?), 0),
        (Kind::Leaky, _) if !plain.is_queue() => (plain.burst(small(burst)?), 0),
        _ => (plain, 0),
    })
}

/// The numbers of a window of the calendar. Its `time_ms` is the offset of the zone plus one day.
fn of_the_calendar(plain: Numbers, window: &str) -> Numbers {
    const MINUTES: u64 = 24 * 60;
    let days = match window {
        "week" => 7,
        "month" => 31,
        _ => 1,
    };
    let longest = if window == "hour" { 3_600_000 } else { days * 86_400_000 };
    let offset = plain.time / 60_000;
    let (sign, minutes) = if offset < MINUTES { ('-', MINUTES - offset) } else { ('+', offset - MINUTES) };
    let text = format!("{window} {sign}{:02}:{:02}", minutes / 60, minutes % 60);
    Numbers { time: longest, ..plain }.calendar(lasting(text))
}

/// Makes a text last until the program ends, once for each different text.
fn lasting(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeMap<String, &'static str>> = Mutex::new(BTreeMap::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.entry(text.clone()).or_insert_with(|| text.leak())
}

/// Reads the runs of `decide`, after its first two arguments. Returns `None` if they are malformed.
pub(super) fn runs(words: &[Bytes]) -> Option<Vec<Asked>> {
    let mut asked = Vec::new();
    for run in words.chunks(8) {
        let [.., number, cost, extra] = run else { return None };
        let (numbers, id) = numbers(run)?;
        let number: i64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        let mut extra = std::str::from_utf8(extra).ok()?.split(':').map(|part| part.parse::<u64>().ok());
        let keep = u32::try_from(extra.next()??).ok()?;
        let mut block = [0; 3];
        for (at, step) in extra.enumerate() {
            *block.get_mut(at)? = step?;
        }
        let merged = usize::try_from((-number).max(1)).ok()?;
        for _ in 0..number.max(1) {
            asked.push(Asked {
                numbers: numbers.block(block),
                cost: small(cost)?,
                keep,
                id,
                merged,
                passes_with_next: number == 0,
            });
        }
    }
    Some(asked)
}

/// Reads the arguments of a script for single requests.
pub(super) fn single(name: &str, words: &[Bytes]) -> Option<Asked> {
    let words: Vec<u64> = words.iter().map(|word| integer(word)).collect::<Option<_>>()?;
    let (kind, count, time) = match (name, words.as_slice()) {
        ("counter", [count, time, _]) => (Kind::Counter, *count, *time),
        ("sliding_window", [count, time, _]) => (Kind::Window, *count, *time),
        ("token_bucket", [count, time, ..]) => (Kind::Greedy, *count, *time),
        ("sliding_log", [count, time]) => (Kind::Log, *count, *time),
        ("concurrency", [count, time, _]) => (Kind::Concurrency, *count, *time),
        _ => return None,
    };
    let last = u32::try_from(*words.last()?);
    let mut numbers = Numbers::new(kind, u32::try_from(count).ok()?, time);
    if let ("token_bucket", [_, _, burst, _]) = (name, words.as_slice()) {
        numbers = numbers.burst(u32::try_from(*burst).ok()?);
    }
    let has_cost = !matches!(kind, Kind::Log | Kind::Concurrency);
    let cost = if has_cost { last.ok()? } else { 1 };
    let id = if kind == Kind::Concurrency { *words.last()? } else { 0 };
    Some(Asked { numbers, cost, keep: 0, id, merged: 1, passes_with_next: false })
}

/// Reads the reply of a script for single requests. `None` if the script has not decided.
pub(super) fn single_reply(asked: &Asked, reply: &Reply) -> Option<Told> {
    let numbers = &asked.numbers;
    let unsigned = |number: i64| u64::try_from(number).ok();
    let passes = |remaining, reset| Told { passed: 1, delay: 0, remaining, retry: None, reset, stamp: None };
    match reply {
        Reply::Integer(grains) if numbers.kind == Kind::Greedy => bucket(asked, *grains),
        Reply::Integer(left) if *left < 0 => {
            let left = left.unsigned_abs();
            Some(Told { passed: 0, retry: Some(left), ..passes(0, left) })
        }
        Reply::Integer(packed) => {
            let packed = unsigned(*packed)?;
            Some(match numbers.kind {
                Kind::Counter => passes(packed / (numbers.time + 1), packed % (numbers.time + 1)),
                Kind::Window => passes(packed / (2 * numbers.time + 1), packed % (2 * numbers.time + 1)),
                _ => passes(packed, numbers.time),
            })
        }
        Reply::Array(parts) => match parts.as_slice() {
            [Reply::Integer(remaining), Reply::Integer(reset)] => {
                Some(passes(unsigned(*remaining)?, unsigned(*reset)?))
            }
            [Reply::Integer(retry), Reply::Integer(reset), Reply::Integer(remaining)] => {
                let told = passes(unsigned(*remaining)?, unsigned(*reset)?);
                Some(Told { passed: 0, retry: Some(retry.unsigned_abs()), ..told })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Reads the free or the missing grains of a bucket. A unit is `time` grains, and `count` grains return in each ms.
fn bucket(asked: &Asked, grains: i64) -> Option<Told> {
    let Numbers { count, time, burst, .. } = asked.numbers;
    let (count, time) = (i64::from(count), i64::try_from(time).ok()?);
    let is_allowed = grains >= 0;
    let room = if is_allowed { grains } else { grains + i64::from(asked.cost) * time };
    let ms = |grains: i64| u64::try_from((grains + count - 1) / count).ok();
    Some(Told {
        passed: usize::from(is_allowed),
        delay: 0,
        remaining: u64::try_from((room / time).max(0)).ok()?,
        retry: if is_allowed { None } else { Some(ms(-grains)?) },
        reset: ms(i64::from(burst) * time - room)?,
        stamp: None,
    })
}

/// The numbers in the reply of `decide`.
pub(super) struct Doubles<'r>(&'r [u8]);

impl<'r> Doubles<'r> {
    pub(super) fn of(reply: &'r Reply) -> Option<Self> {
        if let Reply::Text(bytes) = reply { Some(Self(bytes)) } else { None }
    }

    #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
    fn number(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(f64::from_le_bytes(*first) as i64)
    }

    /// Takes the numbers of the next request. `waits` is true in mode `charge`.
    pub(super) fn next(&mut self, asked: &Asked, waits: bool) -> Option<Told> {
        let first = self.number()?;
        let refused = |delay: i64| (delay != -NEVER).then(|| delay.unsigned_abs());
        let longest = asked.numbers.limit().longest_reset_ms();
        if !waits && asked.merged == 1 && (0..NEVER).contains(&first) {
            let (packed, base) = (first.unsigned_abs(), longest + 1);
            let (remaining, reset) = (packed / base, packed % base);
            return Some(Told { passed: 1, delay: 0, remaining, retry: None, reset, stamp: None });
        }
        let (remaining, reset) = (u64::try_from(self.number()?).ok()?, u64::try_from(self.number()?).ok()?);
        let told = Told { passed: 0, delay: 0, remaining, retry: None, reset, stamp: None };
        if asked.merged > 1 {
            let (passed, delay) = (usize::try_from(first).ok()?, self.number()?);
            return Some(Told {
                passed,
                retry: if passed < asked.merged { refused(delay) } else { None },
                ..told
            });
        }
        let stamp = if waits { Some(u64::try_from(self.number()?).ok()?) } else { None };
        Some(if first < 0 {
            Told { retry: refused(first), stamp, ..told }
        } else {
            Told { passed: 1, delay: if waits { first.unsigned_abs() } else { 0 }, stamp, ..told }
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
