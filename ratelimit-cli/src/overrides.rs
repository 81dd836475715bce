//! `ratelimit set`, `unset` and `overrides`: limits that change while services run.

use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::length::length;
use crate::limits::{Limits, key_of, refuses_every_call};
use crate::output::{
    Align, Output, Style, Table, duration, milliseconds, named, note, print, print_json, safe, show,
};
use crate::session::Session;
use clap::Args;
use ratelimit::overrides::{KnownLimit, LimitChange, Override, OverrideEffect, OverrideTarget};
use serde_json::{Value, json};
use std::time::Duration;

/// Change a limit while services run: some numbers, or a whole limit
///
/// Examples: `set login count=2`, `set login --for 203.0.113.7 count=500 wait=2s`, `set search "sliding_window count=100 time=1m"`.
/// All processes with the same prefix apply the change within one second, until `unset`. A name that no service has published, and
/// that no key has, is refused. So is a change that does not fit the published limit.
#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The name of the limit, as in the attribute's `key`
    name: String,
    #[command(flatten)]
    target: Target,
    /// Numbers as `count=5 time=1m`, or a whole limit, which begins with its algorithm
    #[arg(required = true, value_name = "CHANGE")]
    change: Vec<String>,
    /// Remove the override after this time, such as `1h`
    #[arg(long, value_name = "TIME", value_parser = length)]
    expires: Option<Duration>,
    /// Set it even if no limit with this name is known, for example because no call has used the limit yet
    #[arg(long)]
    force: bool,
}

/// Remove an override, so that the limit in the code applies again
#[derive(Args, Debug)]
pub(crate) struct Unset {
    /// The name of the limit, as in the attribute's `key`
    name: String,
    #[command(flatten)]
    target: Target,
}

/// The identity of an override.
#[derive(Args, Debug)]
struct Target {
    /// Only for this identity, written as for `peek`
    #[arg(long = "for", value_name = "IDENTITY")]
    identity: Option<String>,
    /// The value of a placeholder in the name; repeat it for each placeholder
    #[arg(long = "part", value_name = "VALUE")]
    parts: Vec<String>,
}

impl Target {
    fn caller(&self, name: &str) -> Result<Caller, Failure> {
        Caller::new(name, self.identity.as_deref(), &self.parts)
    }
}

pub(crate) async fn set(set: &Set, session: &Session) -> Result<Exit, Failure> {
    let caller = set.target.caller(&set.name)?;
    let missing = caller.missing_parts().filter(|_| caller.shown.is_some());
    let change: LimitChange = set.change.join(" ").parse().map_err(Failure::usage)?;
    if !set.force {
        let limits = Limits::load(&[], session).await?;
        known::ensure(&set.name, &limits, session)
            .await
            .map_err(|failure| failure.and("nothing was changed; with `--force` it is set all the same"))?;
    }
    let caller = caller.found(set.force, session).await?;
    let before = get(&caller, session).await?;
    match set.expires {
        None => session.limiter.overrides().set(caller.key(), change).await?,
        Some(time) => session.limiter.overrides().set_for(caller.key(), change, time).await?,
    }
    let now = get(&caller, session).await?;
    let mut json = caller.as_json();
    json["before"] = before.map(|change| change.to_string()).into();
    json["now"] = now.map(|change| change.to_string()).into();
    json["refuses_every_call"] = now.as_ref().is_some_and(refuses_every_call).into();
    json["expires_in_ms"] = set.expires.map(milliseconds).into();
    show(session.output, &json, as_text(&caller, before, now, set.expires, session.output))?;
    missing.into_iter().for_each(note);
    if set.name.contains(['*', '?']) {
        note(format!("`{}` is taken as one name; an override is not for a pattern", safe(&set.name)));
    }
    Ok(Exit::Success)
}

/// The text about the change that `set` has made.
fn as_text(
    caller: &Caller,
    before: Option<LimitChange>,
    now: Option<LimitChange>,
    expires: Option<Duration>,
    output: Output,
) -> String {
    let caller = safe(&caller.to_string());
    let remarks = now.map(|change| remarks(&change, expires)).unwrap_or_default();
    let now = now.map_or_else(|| "removed at the same time".to_owned(), |change| change.to_string());
    let before = before.map_or_else(|| "no override".to_owned(), |change| change.to_string());
    let was = output.paint(format!("(before: {before})"), Style::Dim);
    let now = output.paint(now, Style::Bold);
    format!("{caller}: {now}{remarks} {was}\nrunning processes apply it within one second\n")
}

/// Remarks for the reader of a change: whether it refuses every call, and when it expires.
fn remarks(change: &LimitChange, expires: Option<Duration>) -> String {
    let closed = if refuses_every_call(change) { " (refuses every call)" } else { "" };
    let expires = expires.map(|left| format!(" (expires in {})", duration(left))).unwrap_or_default();
    format!("{closed}{expires}")
}

pub(crate) async fn unset(unset: &Unset, session: &Session) -> Result<Exit, Failure> {
    let caller = unset.target.caller(&unset.name)?;
    let caller = caller.found(true, session).await?;
    let target = caller.target(&session.limiter)?;
    let all = session.overrides().await?;
    let before = all.iter().find(|entry| *entry.target() == target).map(change);
    if before.is_some() {
        session.limiter.overrides().remove_target(&target).await?;
    }
    let shown = safe(&caller.to_string());
    let mut json = caller.as_json();
    json["removed"] = before.clone().into();
    let text = before
        .as_ref()
        .map(|before| format!("{shown}: removed {before}\nrunning processes apply it within one second\n"));
    show(session.output, &json, text.unwrap_or_default())?;
    if before.is_none() {
        let why = "nothing was changed; `ratelimit overrides` lists all overrides";
        return Err(Failure::found(format!("no override of {shown}; {why}")));
    }
    Ok(Exit::Success)
}

async fn get(caller: &Caller, session: &Session) -> Result<Option<LimitChange>, Failure> {
    let found = session.limiter.overrides().get(caller.key()).await;
    found.map_err(|error| session.of_overrides(error))
}

pub(crate) async fn list(session: &Session) -> Result<Exit, Failure> {
    let output = session.output;
    let overrides = session.overrides().await?;
    let published = session.limiter.published_limits().await.unwrap_or_default();
    if output.json {
        return print_json(&overrides.iter().map(|entry| as_json(entry, &published, session)).collect());
    }
    if overrides.is_empty() {
        return print("no overrides\n");
    }
    let mut table = Table::new([("NAME", Align::Name), ("FOR", Align::Left), ("CHANGE", Align::Left)]);
    for entry in &overrides {
        let (name, caller) = target(entry, session);
        let caller = caller.unwrap_or_else(|| "everybody".to_owned());
        let unknown =
            if is_unknown(&name, &published) { " (no service has published this name)" } else { "" };
        let remarks = remarks(entry.change(), entry.expires_in());
        table.row([named(&name), safe(&caller), format!("{}{remarks}{unknown}", change(entry))]);
    }
    print(table.render(output))
}

/// The change of an override, or the reason why it cannot be read.
pub(crate) fn change(entry: &Override) -> String {
    match entry.effect() {
        OverrideEffect::Unreadable { reason } => format!("unreadable: {reason} (it has no effect)"),
        _ => entry.change().to_string(),
    }
}

/// Whether services have published limits, but no limit with this name.
pub(crate) fn is_unknown(name: &str, published: &[KnownLimit]) -> bool {
    !published.is_empty() && published.iter().all(|met| met.name() != name)
}

fn as_json(entry: &Override, published: &[KnownLimit], session: &Session) -> Value {
    let (name, caller) = target(entry, session);
    let whole = entry.change().whole().is_some();
    let unreadable = match entry.effect() {
        OverrideEffect::Unreadable { reason } => Some(reason),
        _ => None,
    };
    json!({
        "published": (!published.is_empty()).then(|| !is_unknown(&name, published)),
        "name": name,
        "identity": caller,
        "change": unreadable.is_none().then(|| entry.change().to_string()),
        "unreadable": unreadable,
        "whole": whole,
        "refuses_every_call": refuses_every_call(entry.change()),
        "expires_in_ms": entry.expires_in().map(milliseconds),
    })
}

/// The name and the identity of an override.
pub(crate) fn target(entry: &Override, session: &Session) -> (String, Option<String>) {
    match entry.target() {
        OverrideTarget::Name(name) => (name.clone(), None),
        OverrideTarget::Key(written) => match key_of(&session.prefix, written) {
            Some(key) => {
                let identities = key.identities().collect::<Vec<_>>().join(",");
                let values: Vec<&str> = [&identities[..]].into_iter().chain(key.parts()).collect();
                (key.name().to_owned(), Some(values.join("=")))
            }
            None => (String::new(), Some(written.clone())),
        },
        OverrideTarget::Other(field) => (field.clone(), None),
        _ => (String::new(), None),
    }
}
