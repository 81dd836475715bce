//! `ratelimit set`, `unset` and `overrides`: limits that change while services run.

use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::limits::{key_of, refuses_every_call};
use crate::output::{Align, Output, Style, Table, note, print, print_json, safe};
use crate::server::{Server, of_overrides};
use clap::Args;
use ratelimit::{LimitChange, Override, OverrideTarget};
use serde_json::{Value, json};

/// Change a limit while services run: some numbers, or a whole limit
///
/// Examples: `set login count=2`, `set login --for 203.0.113.7 count=500 wait=2s`, `set search "sliding_window count=100 time=1m"`.
/// All processes with the same prefix apply the change within one second, until `unset`. A process reports a change that does not
/// fit its limit in its log, and applies the limit in the code.
#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The name of the limit, as in the attribute's `key`
    name: String,
    #[command(flatten)]
    target: Target,
    /// Numbers as `count=5 time=1m`, or a whole limit, which begins with its algorithm
    #[arg(required = true, value_name = "CHANGE")]
    change: Vec<String>,
}

/// Remove an override, so that the limit in the code applies again
#[derive(Args, Debug)]
pub(crate) struct Unset {
    /// The name of the limit, as in the attribute's `key`
    name: String,
    #[command(flatten)]
    target: Target,
}

/// Whom an override is for.
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

pub(crate) async fn set(set: &Set, server: &Server, output: Output) -> Result<Exit, Failure> {
    let caller = set.target.caller(&set.name)?;
    let missing = caller.missing_parts().filter(|_| caller.shown.is_some());
    let change: LimitChange = set.change.join(" ").parse().map_err(Failure::usage)?;
    server.all().await?;
    let before = get(&caller, server).await?;
    server.limiter.overrides().set(caller.key(), change).await?;
    let now = get(&caller, server).await?;
    if output.json {
        print_json(&json!({
            "name": caller.name,
            "identity": caller.shown,
            "parts": caller.shown_parts,
            "before": before.map(|change| change.to_string()),
            "now": now.map(|change| change.to_string()),
            "refuses_every_call": now.as_ref().is_some_and(refuses_every_call),
        }))?;
    } else {
        print(as_text(&caller, before, now, output))?;
    }
    missing.into_iter().for_each(note);
    if set.name.contains(['*', '?']) {
        note(format!("`{}` is taken as one name; an override is not for a pattern", safe(&set.name)));
    }
    Ok(Exit::Success)
}

/// What `set` has changed.
fn as_text(caller: &Caller, before: Option<LimitChange>, now: Option<LimitChange>, output: Output) -> String {
    let closed = now.as_ref().is_some_and(refuses_every_call);
    let closed = if closed { "this limit refuses every call, until `ratelimit unset`\n" } else { "" };
    let now = now.map_or_else(|| "removed at the same time".to_owned(), |change| change.to_string());
    let before = before.map_or_else(|| "no override".to_owned(), |change| change.to_string());
    let was = output.paint(format!("(before: {before})"), Style::Dim);
    format!(
        "{}: {} {was}\n{closed}running processes apply it within one second\n",
        safe(&caller.to_string()),
        output.paint(now, Style::Bold)
    )
}

pub(crate) async fn unset(unset: &Unset, server: &Server, output: Output) -> Result<Exit, Failure> {
    let caller = unset.target.caller(&unset.name)?;
    server.all().await?;
    let before = get(&caller, server).await?;
    if before.is_some() {
        server.limiter.overrides().remove(caller.key()).await?;
    }
    let shown = safe(&caller.to_string());
    if output.json {
        let removed = before.as_ref().map(ToString::to_string);
        let (identity, parts) = (&caller.shown, &caller.shown_parts);
        print_json(
            &json!({ "name": caller.name, "identity": identity, "parts": parts, "removed": removed }),
        )?;
    }
    let Some(before) = before else {
        let why = "nothing was changed; `ratelimit overrides` lists all overrides";
        return Err(Failure::found(format!("no override of {shown}; {why}")));
    };
    if output.json {
        return Ok(Exit::Success);
    }
    print(format!("{shown}: removed {before}\nrunning processes apply it within one second\n"))
}

async fn get(caller: &Caller, server: &Server) -> Result<Option<LimitChange>, Failure> {
    let found = server.limiter.overrides().get(caller.key()).await;
    found.map_err(|error| of_overrides(error, &server.prefix))
}

pub(crate) async fn list(server: &Server, output: Output) -> Result<Exit, Failure> {
    server.all().await?;
    let overrides = server.limiter.overrides().list().await;
    let overrides = overrides.map_err(|error| of_overrides(error, &server.prefix))?;
    if output.json {
        return print_json(&overrides.iter().map(|entry| as_json(entry, server)).collect());
    }
    if overrides.is_empty() {
        return print("no overrides\n");
    }
    let columns = [("NAME", Align::Left), ("FOR", Align::Left), ("CHANGE", Align::Left)];
    let mut table = Table::new(&columns);
    for entry in &overrides {
        let (name, caller) = target(entry, server);
        let caller = caller.unwrap_or_else(|| "everybody".to_owned());
        let closed = if refuses_every_call(entry.change()) { " (refuses every call)" } else { "" };
        table.row([safe(&name), safe(&caller), format!("{}{closed}", entry.change())]);
    }
    table.fit(0, output);
    print(table.render(output))
}

fn as_json(entry: &Override, server: &Server) -> Value {
    let (name, caller) = target(entry, server);
    let whole = entry.change().whole().is_some();
    json!({
        "name": name,
        "identity": caller,
        "change": entry.change().to_string(),
        "whole": whole,
        "refuses_every_call": refuses_every_call(entry.change()),
    })
}

/// The name of an override, and whom it is for.
fn target(entry: &Override, server: &Server) -> (String, Option<String>) {
    match entry.target() {
        OverrideTarget::Name(name) => (name.clone(), None),
        OverrideTarget::Key(written) => match key_of(&server.prefix, written) {
            Some(key) => {
                let identities = key.identities().collect::<Vec<_>>().join(",");
                let values: Vec<&str> = [&identities[..]].into_iter().chain(key.parts()).collect();
                (key.name().to_owned(), Some(values.join("=")))
            }
            None => (String::new(), Some(written.clone())),
        },
        _ => (String::new(), None),
    }
}
