//! `ratelimit block` and `unblock`: refuses some callers for a time.

use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::length::length;
use crate::limits::Limits;
use crate::options::{Given, Keys};
use crate::output::{REMEMBERED, duration, milliseconds, note, safe, show};
use crate::session::Session;
use clap::Args;
use ratelimit::Limit;
use ratelimit::store::{Adjustment, Change, Store as _, StoreKey, StoredKey};
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;

/// Refuse the calls of some identities for a time, even if their limit has free units
///
/// Examples: `block login --for 203.0.113.7 1h`, `block search --for ann --for bob 10m`. All processes honour a block at once,
/// but a process still hands out units that it has leased. Counters, buckets and sliding windows can be blocked. Without --for,
/// blocks the limit that all callers share. The services publish which algorithm a limit has; for the limits of methods, pass
/// --limit.
#[derive(Args, Debug)]
pub(crate) struct Block {
    #[command(flatten)]
    keys: Keys,
    /// For how long, such as `1h`
    #[arg(value_name = "TIME", value_parser = length)]
    time: Duration,
}

pub(crate) async fn block(Block { keys: of, time }: &Block, session: &Session) -> Result<Exit, Failure> {
    let ms = milliseconds(*time);
    let limits = limits(&of.name, &of.given, session).await?;
    let (callers, left_out) = Caller::all(&of.name, &of.callers, session).await?;
    let mut shown = Vec::new();
    for caller in callers {
        let known: Vec<_> =
            keys(&caller, &limits, session)?.into_iter().filter(|(.., known)| *known).collect();
        if known.is_empty() {
            if !of.given.limits.is_empty() {
                return Err(Failure::usage(
                    "`--limit` names no counter, bucket or sliding window for this name: the state of a log or of permits has no place for a block",
                ));
            }
            return Err(Failure::usage(format!(
                "no service has published the limit `{}`, and the limits of methods are never published: write it as in the code, as in `--limit \"counter count=5 time=1m\"`",
                safe(&of.name)
            )));
        }
        for (limit, key, _) in known {
            change(session, limit, key, Change::Block(ms)).await?;
        }
        shown.push(caller);
    }
    let identities: Vec<_> = shown.iter().map(|caller| &caller.shown).collect();
    let json = json!({ "name": of.name, "identities": identities, "blocked_for_ms": ms });
    let line = |caller: &Caller| format!("{}: blocked for {}\n", safe(&caller.to_string()), duration(*time));
    show(session.output, &json, shown.iter().map(line).collect::<String>())?;
    if !session.output.json {
        shown.iter().filter_map(Caller::missing_parts).take(1).for_each(note);
    }
    left_out.map(|()| Exit::Success)
}

pub(crate) async fn unblock(of: &Keys, session: &Session) -> Result<Exit, Failure> {
    let limits = limits(&of.name, &of.given, session).await?;
    let (callers, left_out) = Caller::all(&of.name, &of.callers, session).await?;
    let (mut identities, mut text, mut exit) = (Vec::new(), String::new(), Exit::Found);
    for caller in callers {
        let mut was_blocked = false;
        for (limit, key, _) in keys(&caller, &limits, session)? {
            was_blocked |= change(session, limit, key, Change::Open).await?;
        }
        identities.push(json!({ "identity": caller.shown, "was_blocked": was_blocked }));
        let what = if was_blocked { "unblocked" } else { "was not blocked" };
        let _ = writeln!(text, "{}: {what}", safe(&caller.to_string()));
        exit = if was_blocked { Exit::Success } else { exit };
    }
    if exit == Exit::Success {
        text.push_str(REMEMBERED);
    }
    show(session.output, &json!({ "name": of.name, "identities": identities }), text)?;
    left_out.map(|()| exit)
}

async fn limits(name: &str, given: &Given, session: &Session) -> Result<Limits, Failure> {
    let limits = Limits::load(&given.limits, session).await?;
    if given.limits.is_empty() {
        known::ensure(name, &limits, session).await?;
    }
    Ok(limits)
}

/// The keys of a caller that can be blocked, each with its limit, and with `true` if the numbers of the limit are known.
fn keys(
    caller: &Caller,
    limits: &Limits,
    session: &Session,
) -> Result<Vec<(Limit, StoreKey, bool)>, Failure> {
    let mut keys = Vec::new();
    for (algorithm, key) in caller.store_keys(&session.limiter)? {
        if algorithm.is_list() {
            continue;
        }
        let stored = StoredKey::parse(&session.prefix, key.as_bytes());
        let stored = stored.ok_or_else(|| Failure::usage("this key cannot be read back"))?;
        let known = limits.of(&stored, algorithm).known();
        keys.push((known.unwrap_or(Limit::any_of(algorithm)), key, known.is_some()));
    }
    Ok(keys)
}

/// Changes the gate of a key. Returns whether it was changed.
async fn change(session: &Session, limit: Limit, key: StoreKey, change: Change) -> Result<bool, Failure> {
    let changed = session.store.adjust(&[Adjustment::new(key, limit, 1, change)]).await?;
    Ok(changed.first().is_some_and(|changed| *changed > 0))
}
