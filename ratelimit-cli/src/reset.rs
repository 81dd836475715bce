//! `ratelimit reset`: deletes the state of limits.

use crate::arguments::{Callers, Pace};
use crate::caller::Caller;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{Output, Progress, note, plural, print, print_json, safe};
use crate::scan::Scanner;
use crate::server::{Server, ask_all};
use clap::Args;
use ratelimit::store::{RedisServer, Store as _};
use redis::Value;
use serde_json::json;
use std::io::{self, IsTerminal as _, Write as _};

/// Delete the state of a limit, so that the next call finds nothing in use
///
/// Without --for and --all it resets the limit that all callers share. Held permits are deleted, too, and their holders continue
/// to run. A process that remembers a refusal may refuse calls for one more second, and units that a process has leased stay with
/// that process.
#[derive(Args, Debug)]
pub(crate) struct Reset {
    /// The name of the limit, as in the attribute's `key`
    name: String,
    #[command(flatten)]
    callers: Callers,
    /// Reset the limit for everybody: all keys with this name
    #[arg(long, conflicts_with_all = ["identities", "parts"])]
    all: bool,
    /// Do not ask before --all
    #[arg(long, requires = "all")]
    yes: bool,
    #[command(flatten)]
    pace: Pace<100_000>,
}

pub(crate) async fn run(
    reset: &Reset,
    server: &Server,
    interrupt: &Interrupt,
    output: Output,
) -> Result<Exit, Failure> {
    if reset.all {
        return everybody(reset, server, interrupt, output).await;
    }
    let callers = Caller::all(&reset.name, &reset.callers)?;
    let mut total = 0;
    let mut results = Vec::new();
    for caller in callers {
        let mut deleted = Vec::new();
        for (algorithm, key) in caller.store_keys(&server.limiter)? {
            if server.store.reset(&[key]).await? > 0 {
                deleted.push(algorithm.as_str());
            }
        }
        total += deleted.len() as u64;
        results.push((caller, deleted));
    }
    if output.json {
        let results: Vec<_> = results
            .iter()
            .map(|(caller, deleted)| json!({ "identity": caller.shown, "deleted": deleted }))
            .collect();
        print_json(&json!({ "name": reset.name, "deleted": total, "identities": results }))?;
    } else {
        for (caller, deleted) in &results {
            let what = if deleted.is_empty() { "nothing was in use".to_owned() } else { deleted.join(", ") };
            let verb = if deleted.is_empty() { "" } else { "reset " };
            print(format!("{}: {verb}{what}\n", safe(&caller.to_string())))?;
        }
    }
    if total > 0 {
        return Ok(Exit::Success);
    }
    if reset.callers.identities.is_empty() {
        note("to reset the limit of an identity, pass --for IDENTITY; for everybody, pass --all");
    }
    Ok(Exit::Found)
}

/// Deletes all keys with the name.
async fn everybody(
    reset: &Reset,
    server: &Server,
    interrupt: &Interrupt,
    output: Output,
) -> Result<Exit, Failure> {
    if !reset.yes {
        if !io::stdin().is_terminal() {
            return Err(Failure::usage("nothing was reset: --all asks first; without a terminal, add --yes"));
        }
        let found = walk(reset, server, interrupt, false).await?;
        if interrupt.is_set() {
            return Ok(Exit::Interrupted);
        }
        if found.keys == 0 {
            return Err(Failure::found(format!("no keys of `{}`", safe(&reset.name))));
        }
        if !confirmed(&format!("delete {} of `{}`?", plural(found.keys, "key"), safe(&reset.name)))? {
            return Err(Failure::found("nothing was reset"));
        }
    }
    let found = walk(reset, server, interrupt, true).await?;
    let partial = interrupt.is_set();
    if output.json {
        print_json(
            &json!({ "name": reset.name, "deleted": found.deleted, "failed": found.failed, "partial": partial }),
        )?;
    } else {
        print(format!("{}: deleted {}\n", safe(&reset.name), plural(found.deleted, "key")))?;
    }
    if partial {
        note("interrupted: other keys of this name may remain");
        return Ok(Exit::Interrupted);
    }
    match (found.failed, found.deleted) {
        (Some(error), _) => Err(Failure::server(format!("some keys were not deleted: {error}"))),
        (None, 0) => Ok(Exit::Found),
        (None, _) => Ok(Exit::Success),
    }
}

#[derive(Default)]
struct Walked {
    keys: u64,
    deleted: u64,
    /// The first error of a key that was not deleted.
    failed: Option<String>,
}

/// Visits all keys with the name, and deletes them if it is told so.
async fn walk(
    reset: &Reset,
    server: &Server,
    interrupt: &Interrupt,
    delete: bool,
) -> Result<Walked, Failure> {
    let mut scanner = Scanner::new(server, reset.pace.keys_per_second).await?;
    let mut progress = Progress::new();
    let mut walked = Walked::default();
    while !interrupt.is_set() {
        let mut page = scanner.next(interrupt).await?;
        page.keys.retain(|(key, _)| key.name() == reset.name);
        walked.keys += page.keys.len() as u64;
        if delete {
            delete_all(&page.server, page.keys.iter().map(|(_, bytes)| &bytes[..]), &mut walked).await?;
        }
        let share = scanner.progress().map(|share| format!(", {:.0} %", share * 100.0)).unwrap_or_default();
        let verb = if delete { "deleted" } else { "found" };
        progress.show(format!("{verb} {}{share}", plural(walked.keys, "key")));
        if page.is_last {
            break;
        }
    }
    Ok(walked)
}

async fn delete_all<'k>(
    server: &RedisServer,
    keys: impl Iterator<Item = &'k [u8]>,
    walked: &mut Walked,
) -> Result<(), Failure> {
    let mut commands = redis::pipe();
    for key in keys {
        commands.cmd("DEL").arg(key);
    }
    for reply in ask_all(server, &commands).await? {
        match reply {
            Ok(reply) => walked.deleted += u64::from(reply == Value::Int(1)),
            Err(error) if error.is_transient() => drop(walked.failed.get_or_insert(error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Asks a question on the terminal.
fn confirmed(question: &str) -> io::Result<bool> {
    eprint!("{question} Calls count from zero again. [y/N] ");
    io::stderr().flush()?;
    let mut reply = String::new();
    io::stdin().read_line(&mut reply)?;
    Ok(matches!(reply.trim(), "y" | "Y" | "yes"))
}
