//! Replies of a server that repeats commands, and replies of a working server.

use std::sync::Arc;

/// A function that repeats the words of a command in a reply. Some of these functions reply like real servers and proxies. The
/// others send replies that no real server sends.
pub(super) type Echo = Arc<dyn Fn(&[String], u16) -> Vec<u8> + Send + Sync>;

type Way = fn(&[String], u16) -> Vec<u8>;

/// Error codes that the library treats differently.
const CODES: [&str; 13] = [
    "NOPERM",
    "NOAUTH",
    "WRONGPASS",
    "NOPROTO",
    "OOM",
    "LOADING",
    "BUSY",
    "READONLY",
    "CLUSTERDOWN",
    "NOSCRIPT",
    "CROSSSLOT",
    "MISCONF",
    "DENIED",
];

const WAYS: [(&str, Way); 23] = [
    ("Redis", |words, _| {
        let (name, arguments) = (&words[0], words[1..].join("' '"));
        error(&format!("ERR unknown command '{name}', with args beginning with: '{arguments}' "))
    }),
    ("Redis 6", |words, _| {
        let (name, arguments) = (&words[0], words[1..].join("`, `"));
        error(&format!("ERR unknown command `{name}`, with args beginning with: `{arguments}`, "))
    }),
    ("a proxy", |words, _| error(&format!("ERR unsupported command {}", words.join(" ")))),
    ("a code", |words, _| error(&words.join("_"))),
    ("a code and words", |words, _| error(&format!("{} {}", words.join("_"), words.join(" ")))),
    ("a command", |words, _| {
        let words = words.join(" ");
        error(&format!("NOPERM User {words} has no permissions to run the '{words}' command"))
    }),
    ("a key", |words, _| error(&format!("NOPERM No permissions to access the '{}' key", words.join(" ")))),
    ("a script", |words, _| {
        let words = words.join(" ");
        error(&format!("ERR Error running script (call to {words}): @user_script:1: -OOM {words}"))
    }),
    ("our script", |words, _| error(&format!("ERR ratelimit: {}", words.join(" ")))),
    ("a long error", |words, _| {
        let said = format!("ERR {}", words.join("\r\n"));
        format!("!{}\r\n{said}\r\n", said.len()).into_bytes()
    }),
    ("a long error's code", |words, _| {
        let said = words.join("\r\n");
        format!("!{}\r\n{said}\r\n", said.len()).into_bytes()
    }),
    ("another owner", |words, port| error(&format!("MOVED 1 {}:{port}", words.join(",")))),
    ("a new owner", |words, port| error(&format!("ASK 1 {}:{port}", words.join(",")))),
    ("an owner without a place", |words, _| error(&format!("MOVED {}", words.join(" ")))),
    ("a status", |words, _| format!("+{}\r\n", words.join(" ")).into_bytes()),
    ("a string", |words, _| bulk(&words.join(" "))),
    ("a text", |words, _| {
        let words = format!("txt:{}", words.join(" "));
        format!("={}\r\n{words}\r\n", words.len()).into_bytes()
    }),
    ("a list", |words, _| list(&words.iter().map(|word| bulk(word)).collect::<Vec<_>>())),
    ("an address", |words, port| list(&[bulk(&words.join(",")), bulk(&port.to_string())])),
    ("a map of slots", |words, port| slots(&words.join(","), port)),
    ("an override", |words, _| {
        let words = words.join("_");
        list(&[bulk("version"), bulk("8"), bulk(&format!("name:{words}")), bulk(&format!("counter {words}"))])
    }),
    ("another protocol", |words, _| format!("@{}\r\n", words.join(" ")).into_bytes()),
    ("no length", |words, _| format!("${}\r\n", words.join(" ")).into_bytes()),
];

/// All functions with their names. With `with_codes`, also one function for each error code.
pub(super) fn echoes(with_codes: bool) -> Vec<(&'static str, Echo)> {
    let ways = WAYS.into_iter().map(|(name, way)| (name, Arc::new(way) as Echo));
    let with_code = |code| -> (&'static str, Echo) {
        (code, Arc::new(move |words: &[String], _| error(&format!("{code} {}", words.join(" ")))))
    };
    ways.chain(CODES.into_iter().filter(|_| with_codes).map(with_code)).collect()
}

pub(super) fn error(said: &str) -> Vec<u8> {
    format!("-{said}\r\n").into_bytes()
}

fn bulk(word: &str) -> Vec<u8> {
    format!("${}\r\n{word}\r\n", word.len()).into_bytes()
}

fn list(members: &[Vec<u8>]) -> Vec<u8> {
    [format!("*{}\r\n", members.len()).into_bytes(), members.concat()].concat()
}

/// The slot table of a cluster in which one node owns all slots.
fn slots(host: &str, port: u16) -> Vec<u8> {
    let node = list(&[bulk(host), format!(":{port}\r\n").into_bytes()]);
    list(&[list(&[b":0\r\n".to_vec(), b":16383\r\n".to_vec(), node])])
}

/// The reply of a working server, which is a sentinel, a primary and a cluster node at the same time.
pub(super) fn fine(words: &[String], port: u16) -> Vec<u8> {
    match words[0].as_str() {
        "HELLO" => list(&[bulk("server"), bulk("redis")]),
        "CLUSTER" => slots("127.0.0.1", port),
        "SENTINEL" => list(&[bulk("127.0.0.1"), bulk(&port.to_string())]),
        "EVALSHA" | "EVAL" => b":0\r\n".to_vec(),
        "HGET" => bulk("7"),
        "HGETALL" => list(&[bulk("version"), bulk("7")]),
        "HSET" | "HDEL" | "DEL" => b":1\r\n".to_vec(),
        "PING" => b"+PONG\r\n".to_vec(),
        _ => b"+OK\r\n".to_vec(),
    }
}
