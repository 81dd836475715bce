//! `ratelimit reset --all`: deletes the keys of all identities.

use super::Reset;
use crate::exit::{Exit, Failure};
use crate::output::{Output, REMEMBERED, note, plural, print, print_json, progress, safe};
use crate::scan::Scanner;
use crate::session::{Session, ask_all};
use ratelimit::store::{RedisServer, StoredKey};
use redis::Value;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use wildmatch::WildMatch;

/// The maximum number of names that are counted separately, because a program may make up names.
const MOST: usize = 1000;

/// The keys that a walk has found or deleted.
#[derive(Default)]
struct Walked {
    /// The number of keys for each name.
    names: BTreeMap<String, u64>,
    /// The number of all keys.
    keys: u64,
    /// The first error of a key that was not deleted.
    failed: Option<String>,
}

/// Deletes all keys with matching names.
pub(super) async fn reset(reset: &Reset, session: &Session) -> Result<Exit, Failure> {
    if !reset.yes {
        if !io::stdin().is_terminal() {
            return Err(Failure::usage("nothing was reset: --all asks first; without a terminal, add --yes"));
        }
        let found = walk(reset, session, false).await?;
        if session.interrupt.is_set() {
            note("interrupted: nothing was reset");
            return Ok(Exit::Interrupted);
        }
        if found.keys == 0 {
            return Err(nothing(reset));
        }
        if !confirmed(&found, reset)? {
            return Err(Failure::found("nothing was reset"));
        }
    }
    let deleted = walk(reset, session, true).await?;
    let partial = session.interrupt.is_set();
    report(&deleted, reset, partial || !session.servers.missing.is_empty(), session.output)?;
    if partial {
        note("interrupted: other keys may remain");
        return Ok(Exit::Interrupted);
    }
    match deleted {
        Walked { failed: Some(error), .. } => {
            Err(Failure::server(format!("some keys were not deleted: {error}")))
        }
        _ if !session.servers.missing.is_empty() => Err(Failure::server(
            "the keys of the missing nodes were not deleted; reset them when the nodes are back",
        )),
        Walked { keys: 0, .. } => Err(nothing(reset)),
        _ => Ok(Exit::Success),
    }
}

fn nothing(reset: &Reset) -> Failure {
    let name = safe(&reset.name);
    Failure::found(format!(
        "nothing was reset: no keys of `{name}`; `ratelimit list` shows all names with keys"
    ))
}

/// Prints the deleted keys: one line for each name.
fn report(deleted: &Walked, reset: &Reset, partial: bool, output: Output) -> Result<Exit, Failure> {
    if output.json {
        let names: Vec<_> =
            deleted.names.iter().map(|(name, keys)| json!({ "name": name, "deleted": keys })).collect();
        return print_json(&json!({
            "name": reset.name,
            "deleted": deleted.keys,
            "names": names,
            "failed": deleted.failed,
            "partial": partial,
        }));
    }
    let mut text = deleted.lines("deleted ");
    if deleted.names.len() > 1 {
        let _ = writeln!(text, "together: deleted {}", plural(deleted.keys, "key"));
    }
    if deleted.keys > 0 {
        text.push_str(REMEMBERED);
    }
    print(text)
}

/// Visits all keys with matching names. With `delete`, deletes them.
async fn walk(reset: &Reset, session: &Session, delete: bool) -> Result<Walked, Failure> {
    let glob = WildMatch::new(&reset.name);
    let mut scanner = Scanner::new(session, reset.keys_per_second);
    let progress = progress();
    let mut walked = Walked::default();
    while !session.interrupt.is_set() {
        let mut page = scanner.next().await?;
        page.keys.retain(|(key, _)| glob.matches(key.name()));
        if delete {
            delete_all(&page.server, &page.keys, &mut walked).await?;
        } else {
            page.keys.iter().for_each(|(key, _)| walked.count(key));
        }
        let verb = if delete { "deleted" } else { "found" };
        progress.set_message(format!("{verb} {}", plural(walked.keys, "key")));
        if page.is_last {
            break;
        }
    }
    Ok(walked)
}

impl Walked {
    fn count(&mut self, key: &StoredKey) {
        self.keys += 1;
        if let Some(keys) = self.names.get_mut(key.name()) {
            *keys += 1;
        } else if self.names.len() < MOST {
            self.names.insert(key.name().to_owned(), 1);
        }
    }

    /// One line for each name.
    fn lines(&self, verb: &str) -> String {
        let line =
            |(name, keys): (&String, &u64)| format!("{}: {verb}{}\n", safe(name), plural(*keys, "key"));
        self.names.iter().map(line).collect()
    }
}

async fn delete_all(
    server: &RedisServer,
    keys: &[(StoredKey, Vec<u8>)],
    walked: &mut Walked,
) -> Result<(), Failure> {
    let mut commands = redis::pipe();
    for (_, bytes) in keys {
        commands.cmd("DEL").arg(&bytes[..]);
    }
    for ((key, _), reply) in keys.iter().zip(ask_all(server, &commands).await?) {
        match reply {
            Ok(Value::Int(1)) => walked.count(key),
            // The key has expired since the scan.
            Ok(_) => {}
            Err(error) if error.is_transient() => drop(walked.failed.get_or_insert(error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Shows the keys that would be deleted, and asks on the terminal.
fn confirmed(found: &Walked, reset: &Reset) -> io::Result<bool> {
    let (keys, name) = (plural(found.keys, "key"), safe(&reset.name));
    let mut stderr = io::stderr();
    write!(stderr, "{}delete {keys} of `{name}`? Calls count from zero again. [y/N] ", found.lines(""))?;
    stderr.flush()?;
    let mut reply = String::new();
    io::stdin().read_line(&mut reply)?;
    Ok(matches!(reply.trim(), "y" | "Y" | "yes"))
}
