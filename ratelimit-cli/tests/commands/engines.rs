//! Tests `doctor` on engines that differ from Redis. It must report the difference, and the setting that helps. Each engine is a
//! real Redis server behind a fake server that changes some replies.

use crate::harness::{Ran, run};
use redis::Value;
use std::sync::Mutex;
use support::{FakeServer, RedisServer};

/// The reply of an engine to a command. `None` if the reply is that of Redis.
type Engine = fn(&[String]) -> Option<&'static str>;

/// The output of `doctor` about an engine: the exit code, the finding and the advice.
type Said = (i32, &'static str, &'static str);

const ENGINES: [(&str, Engine, Said); 9] = [
    (
        "Valkey without Lua",
        |words| match words[0].as_str() {
            "EVAL" | "EVALSHA" => Some("-ERR Could not find scripting engine 'lua'\r\n"),
            "INFO" => Some("+valkey_version:9.1.0\nengines_count:0\r\n"),
            _ => None,
        },
        (1, "PROBLEM  scripts: the server has no Lua", "start Valkey with its Lua module"),
    ),
    (
        "an engine that imitates Redis",
        |words| (words[0] == "INFO").then_some("+redis_version:7.4.0\ndragonfly_version:df-v1.40.0\r\n"),
        (0, "note     version: Dragonfly df-v1.40.0", "`docs/servers.md` lists what to set"),
    ),
    (
        "scripts without keys refused",
        |words| match words[0].as_str() {
            "EVAL" if words[2] == "0" => {
                Some("-ERR Lua scripts without any input keys are not supported\r\n")
            }
            "INFO" => Some("+valkey_version:8.0.0\nos:Amazon ElastiCache\r\n"),
            _ => None,
        },
        (0, "Valkey 8.0.0 on Amazon ElastiCache", "write `rediss+cluster://` for a serverless cache"),
    ),
    (
        "CROSSSLOT",
        |words| {
            let keys =
                words.get(2).filter(|_| words[0].starts_with("EVAL")).and_then(|number| number.parse().ok());
            let tag = |key: &String| key.split(['{', '}']).nth(1).map(str::to_owned);
            let mut keys = words[3.min(words.len())..].iter().take(keys.unwrap_or(0)).map(tag);
            let first = keys.next();
            keys.any(|tag| Some(tag) != first)
                .then_some("-CROSSSLOT Keys in request don't hash to the same slot\r\n")
        },
        (
            0,
            "note     scripts: refuses keys of several slots",
            "write `redis+cluster://` if it offers `CLUSTER SLOTS`",
        ),
    ),
    (
        "EVAL refused",
        |words| words[0].starts_with("EVAL").then_some("-ERR unknown command 'EVAL'\r\n"),
        (1, "PROBLEM  scripts: the server refuses `EVAL`", "use a server or a service that runs them"),
    ),
    (
        "Garnet without --lua",
        |words| match words[0].as_str() {
            "EVAL" | "EVALSHA" => Some("-ERR This instance has Lua scripting support disabled\r\n"),
            "INFO" => Some("+redis_version:7.2.5\ngarnet_version:1.0.48\r\n"),
            _ => None,
        },
        (1, "PROBLEM  scripts: the server runs no scripts", "start Garnet with `--lua`"),
    ),
    (
        "TIME refused in a script",
        |words| {
            let is_script = words[0].starts_with("EVAL");
            (is_script && words[1].contains("TIME"))
                .then_some("-ERR This Redis command is not allowed from script\r\n")
        },
        (1, "PROBLEM  scripts: refuses `TIME` in a script", "`CONFIG SET lua-replicate-commands yes`"),
    ),
    (
        "few arguments",
        |words| (words.len() > 1000).then_some("-ERR too many arguments\r\n"),
        (1, "PROBLEM  scripts: refuses a call with 1200 arguments", "raise the proxy's limit of arguments"),
    ),
    (
        "CLUSTER refused",
        |words| (words[0] == "CLUSTER").then_some("-ERR unknown command 'CLUSTER'\r\n"),
        (3, "the server is not a node of a cluster", "write `redis://127.0.0.1:"),
    ),
];

/// Encodes a reply in the Redis protocol.
fn encoded(reply: &Value) -> Vec<u8> {
    let mut bytes = match reply {
        Value::Nil => b"$-1".to_vec(),
        Value::Int(number) => format!(":{number}").into_bytes(),
        Value::BulkString(text) => [format!("${}\r\n", text.len()).as_bytes(), text].concat(),
        Value::SimpleString(text) => format!("+{text}").into_bytes(),
        Value::Okay => b"+OK".to_vec(),
        Value::Array(parts) => {
            let head = format!("*{}\r\n", parts.len()).into_bytes();
            return parts.iter().map(encoded).fold(head, |bytes, part| [bytes, part].concat());
        }
        other => panic!("{other:?}"),
    };
    bytes.extend(b"\r\n");
    bytes
}

fn doctor(engine: Engine, scheme: &str) -> Ran {
    let server = RedisServer::start();
    let connection = Mutex::new(server.raw());
    let fake = FakeServer::start(move |words, _| {
        if let Some(reply) = engine(words) {
            return reply.as_bytes().to_vec();
        }
        let mut command = redis::cmd(&words[0]);
        command.arg(&words[1..]);
        match command.query::<Value>(&mut *connection.lock().unwrap()) {
            Ok(reply) => encoded(&reply),
            Err(error) => {
                format!("-{} {}\r\n", error.code().unwrap_or("ERR"), error.detail().unwrap_or_default())
                    .into_bytes()
            }
        }
    });
    run(&format!("{scheme}://127.0.0.1:{}", fake.port()), &["doctor", "--deadline", "60000"])
}

#[test]
fn each_engine_is_told_its_one_setting() {
    for (name, engine, (code, finding, advice)) in ENGINES {
        let scheme = if name == "CLUSTER refused" { "redis+cluster" } else { "redis" };
        let ran = doctor(engine, scheme);
        let said = format!("{} {}", ran.out.split_whitespace().collect::<Vec<_>>().join(" "), ran.err);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            ran.code == code && said.contains(&words(finding)) && said.contains(advice),
            "{name}: {ran:?}"
        );
        assert!(!said.contains("give the user the permissions"), "{name}: {ran:?}");
    }
}

#[test]
fn an_engine_like_redis_says_its_lua() {
    doctor(|_| None, "redis").exits(0).says(&["ok       version: ", "ok       scripts: Lua 5.1"]);
}
