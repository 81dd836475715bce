//! `ratelimit peek`: the use of a limit by some identities.

use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::limits::Limits;
use crate::options::Keys;
use crate::output::{Output, Style, bar, note, safe, show};
use crate::scan::{Ttl, ttls};
use crate::session::Session;
use crate::usage::{self, Known, Usage};
use ratelimit::Algorithm;
use ratelimit::store::StoredKey;
use serde_json::Value;
use std::fmt::Write as _;

/// The length of a bar.
const BAR: usize = 20;

/// The use of one identity: one entry for each algorithm with a state or with known numbers.
struct Peeked {
    caller: Caller,
    states: Vec<State>,
}

struct State {
    algorithm: Algorithm,
    /// `None` if the key does not exist.
    ttl: Option<Ttl>,
    /// `None` if the value is not the state of a limit.
    usage: Option<Usage>,
}

pub(crate) async fn run(peek: &Keys, session: &Session) -> Result<Exit, Failure> {
    let limits = Limits::load(&peek.given.limits, session).await?;
    let (callers, left_out) = Caller::all(&peek.name, &peek.callers, session).await?;
    let mut all = Vec::new();
    for caller in callers {
        let (mut algorithms, mut keys) = (Vec::new(), Vec::new());
        for (algorithm, key) in caller.store_keys(&session.limiter)? {
            let stored = StoredKey::parse(&session.prefix, key.as_bytes());
            let stored = stored.ok_or_else(|| Failure::usage("this key cannot be read back"))?;
            algorithms.push(algorithm);
            keys.push((stored, key.as_bytes().to_vec()));
        }
        let server = session.server_of(&session.limiter.store_key(caller.key(), Algorithm::Counter)?)?;
        let ttls = ttls(server, keys.iter().map(|(_, bytes)| &bytes[..])).await?;
        let usages = usage::read(session, &limits, &keys).await?;
        let states = algorithms.into_iter().zip(ttls).zip(usages);
        let states = states
            .map(|((algorithm, ttl), usage)| State { algorithm, ttl, usage })
            .filter(|state| state.ttl.is_some() || state.usage.is_some_and(|usage| usage.known.is_some()))
            .collect();
        all.push(Peeked { caller, states });
    }
    if all.iter().all(|peeked| peeked.states.iter().all(|state| state.ttl.is_none())) {
        known::ensure(&peek.name, &limits, session).await?;
    }
    let text: String = all.iter().map(|peeked| as_text(peeked, session.output)).collect();
    show(session.output, &all.iter().map(as_json).collect(), text)?;
    let missed = all.iter().filter(|peeked| peeked.states.is_empty());
    missed.filter_map(|peeked| peeked.caller.missing_parts()).take(1).for_each(note);
    let foreign: Vec<String> = all.iter().filter(|peeked| peeked.is_foreign()).map(Peeked::shown).collect();
    if foreign.is_empty() {
        return left_out.map(|()| Exit::Success);
    }
    Err(Failure::found(format!(
        "another program has written to the key of {}, so the services reject these calls; `ratelimit reset` deletes the key, and a prefix that no other program uses prevents this",
        foreign.join(", ")
    )))
}

impl Peeked {
    /// Whether a key holds a value that no limit has written.
    fn is_foreign(&self) -> bool {
        self.states.iter().any(|state| state.usage.is_none())
    }

    fn shown(&self) -> String {
        safe(&self.caller.to_string())
    }
}

fn as_text(peeked: &Peeked, output: Output) -> String {
    let mut text = format!("{}\n", output.paint(peeked.shown(), Style::Bold));
    if peeked.states.is_empty() {
        text.push_str("  nothing in use\n");
    }
    for state in &peeked.states {
        let line = match state.usage {
            None => output.paint("holds a value that no limit has written", Style::Bad),
            Some(usage @ Usage { known: Some(known), .. }) => in_use(usage, known, output),
            Some(usage @ Usage { used: Some(_), .. }) => format!("{} in use{}", usage.words(), ttl(state)),
            Some(_) => format!("in use{}; pass --limit to see how much", ttl(state)),
        };
        let _ = writeln!(text, "  {:<14}  {line}", state.algorithm.as_str());
    }
    text
}

fn in_use(usage: Usage, known: Known, output: Output) -> String {
    let style = if usage.is_at_limit() { Style::Bad } else { Style::Good };
    let bar = output.paint(bar(usage.share().unwrap_or_default(), BAR), style);
    let is_free = usage.used == Some(0) && !usage.is_at_limit();
    let next = if is_free { String::new() } else { format!(", {}", known.words()) };
    format!("{bar}  {}{next}  {}", usage.words(), output.paint(known.limit, Style::Dim))
}

fn ttl(state: &State) -> String {
    state.ttl.map(|ttl| format!(", {}", ttl.words())).unwrap_or_default()
}

fn as_json(peeked: &Peeked) -> Value {
    let state = |state: &State| {
        let mut value = state.usage.unwrap_or(Usage::UNKNOWN).as_json();
        value["algorithm"] = state.algorithm.as_str().into();
        value["foreign"] = state.usage.is_none().into();
        value["ttl_ms"] = state.ttl.and_then(Ttl::milliseconds).into();
        value
    };
    let states: Vec<Value> = peeked.states.iter().map(state).collect();
    let mut value = peeked.caller.as_json();
    value["states"] = states.into();
    value
}
