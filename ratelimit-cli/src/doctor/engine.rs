//! Checks the engine of a server: its version of Lua, and whether it runs scripts in the way that limits need.

use super::facts::{Facts, is_permission};
use super::finding::Findings;
use crate::exit::Failure;
use crate::session::{Session, ask, text};
use ratelimit::store::{RedisServer, StoreKey};
use redis::Value;

/// A number of arguments that no call of the library exceeds.
const MANY: usize = 1200;

/// The maximum number of tags to try, until the node serves the slot of a tag.
const TAGS: u32 = 1 << 18;

/// A script that returns 1. An engine may refuse the script, or reply with another value.
struct Probe {
    text: &'static str,
    keys: usize,
    arguments: usize,
    /// Whether limits need the feature that the script tests.
    is_needed: bool,
    said: &'static str,
    advice: &'static str,
}

const PROBES: [Probe; 4] = [
    Probe {
        text: "return #redis.call('TIME') == 2 and 1",
        keys: 1,
        arguments: 0,
        is_needed: true,
        said: "refuses `TIME` in a script: no limit can be decided",
        advice: "ask the operator to allow it; on Redis 5 and 6: `CONFIG SET lua-replicate-commands yes`",
    },
    Probe {
        text: "return #ARGV == 1200 and 1",
        keys: 1,
        arguments: MANY,
        is_needed: true,
        said: "refuses a call with 1200 arguments: batches of calls fail",
        advice: "raise the proxy's limit of arguments, or connect to the server without the proxy",
    },
    Probe {
        text: "return 1",
        keys: 0,
        arguments: 0,
        is_needed: false,
        said: "refuses scripts without keys",
        advice: "nothing to do: calls work; on a cluster, each slot is asked by itself; write `rediss+cluster://` for a serverless cache",
    },
    Probe {
        text: "return 1",
        keys: 2,
        arguments: 0,
        is_needed: false,
        said: "refuses keys of several slots in one script (CROSSSLOT)",
        advice: "it is part of a cluster: write `redis+cluster://` if it offers `CLUSTER SLOTS`; otherwise each slot is asked by itself",
    },
];

/// Checks a server. Returns whether the server runs scripts, because the other checks are useless if it does not.
pub(super) async fn check(
    server: &RedisServer,
    session: &Session,
    facts: Option<&Facts>,
    findings: &mut Findings,
) -> Result<bool, Failure> {
    // A node that serves no slot decides nothing.
    let is_own = |tag: &u32| server.serves(&StoreKey::new(key(&session.prefix, *tag).as_bytes()));
    let Some(tag) = (0..TAGS).find(is_own) else { return Ok(true) };
    let lua = match eval(server, "return _VERSION", &[key(&session.prefix, tag)], 0).await {
        Ok(lua) => text(&lua),
        Err(failure) if is_permission(&failure) => return Ok(true),
        Err(failure) if failure.is_transient() => return Err(failure),
        Err(failure) => {
            let (said, advice) = without_scripts(&failure, facts);
            findings.problem("scripts", said, advice);
            return Ok(false);
        }
    };
    let mut runs = true;
    for probe in PROBES {
        // On a cluster, the keys of one script must be on one slot.
        if session.is_cluster && probe.keys > 1 {
            continue;
        }
        let keys: Vec<String> =
            (0..probe.keys).map(|at| key(&session.prefix, if at == 0 { tag } else { TAGS + tag })).collect();
        match eval(server, probe.text, &keys, probe.arguments).await {
            Ok(Value::Int(1)) => continue,
            // The check of permissions reports a missing permission.
            Err(failure) if is_permission(&failure) => continue,
            _ => {}
        }
        if probe.is_needed {
            runs = false;
            findings.problem("scripts", probe.said, probe.advice);
        } else {
            findings.note("scripts", probe.said, probe.advice);
        }
    }
    if runs {
        findings.good("scripts", lua);
    }
    Ok(runs)
}

fn key(prefix: &str, tag: u32) -> String {
    format!("{prefix}:{{doctor-{tag}}}")
}

async fn eval(
    server: &RedisServer,
    script: &str,
    keys: &[String],
    arguments: usize,
) -> Result<Value, Failure> {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(keys.len()).arg(keys).arg(vec!["1"; arguments]);
    ask(server, &command).await
}

/// The finding about a server that does not run scripts, and the advice.
fn without_scripts(failure: &Failure, facts: Option<&Facts>) -> (String, &'static str) {
    let (engine, advice) = match facts {
        Some(facts) if facts.get("valkey_version").is_some() && facts.number("engines_count") == Some(0) => {
            ("the server has no Lua", "start Valkey with its Lua module: `loadmodule` in valkey.conf")
        }
        Some(facts) if facts.get("garnet_version").is_some() => {
            ("the server runs no scripts", "start Garnet with `--lua`")
        }
        _ => (
            "the server refuses `EVAL`",
            "limits need scripts; use a server or a service that runs them: see `docs/servers.md`",
        ),
    };
    (format!("{engine}: {failure}"), advice)
}
