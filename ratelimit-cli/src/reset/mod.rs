//! `ratelimit reset`: deletes the state of limits.

mod everybody;

use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::options::Callers;
use crate::output::{REMEMBERED, note, safe, show};
use crate::session::Session;
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;

/// Delete the state of a limit, so that the next call finds nothing in use
///
/// Without --for and --all, resets the limit that all callers share. Held permits are deleted, too, and their holders
/// continue to run. A process that remembers a refusal may refuse calls for one more second, and units that a process has
/// leased stay with that process. Calls of buckets and of windows of the calendar that began before may still return units
/// that they took; the method `reset` of a limiter prevents this.
#[derive(Args, Debug)]
pub(crate) struct Reset {
    /// The name of the limit, as in the attribute's `key`; with --all also a pattern, in which `*` stands for any text and
    /// `?` for one character
    name: String,
    #[command(flatten)]
    callers: Callers,
    /// Reset the limit for everybody: all keys whose name matches
    #[arg(long, conflicts_with_all = ["identities", "parts"])]
    all: bool,
    /// Do not ask before --all
    #[arg(long, requires = "all")]
    yes: bool,
    /// The maximum number of keys to read per second, at least 100
    #[arg(long, value_name = "KEYS", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    keys_per_second: u32,
}

pub(crate) async fn run(reset: &Reset, session: &Session) -> Result<Exit, Failure> {
    if reset.all {
        return everybody::reset(reset, session).await;
    }
    let (callers, left_out) = Caller::all(&reset.name, &reset.callers, session).await?;
    let (mut total, mut identities, mut text) = (0, Vec::new(), String::new());
    for caller in &callers {
        let mut deleted = Vec::new();
        for (algorithm, key) in caller.store_keys(&session.limiter)? {
            if session.delete(&key).await? {
                deleted.push(algorithm.as_str());
            }
        }
        total += deleted.len();
        identities.push(json!({ "identity": caller.shown, "parts": caller.shown_parts, "deleted": deleted }));
        let what = if deleted.is_empty() {
            "nothing was in use".to_owned()
        } else {
            format!("reset {}", deleted.join(", "))
        };
        let _ = writeln!(text, "{}: {what}", safe(&caller.to_string()));
    }
    if total > 0 {
        text.push_str(REMEMBERED);
    }
    show(session.output, &json!({ "name": reset.name, "deleted": total, "identities": identities }), text)?;
    left_out?;
    if total > 0 {
        return Ok(Exit::Success);
    }
    callers.iter().filter_map(Caller::missing_parts).take(1).for_each(note);
    if reset.name.contains(['*', '?']) {
        note("to reset all limits whose names match, add --all");
    } else if reset.callers.identities.is_empty() {
        note("to reset the limit of an identity, pass --for IDENTITY; for everybody, pass --all");
    }
    Ok(Exit::Found)
}
