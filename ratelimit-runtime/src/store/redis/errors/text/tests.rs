//! Tests of the texts that are shown for errors.

use super::super::Problem;
use super::*;
use ratelimit_lua::SINGLE;

const SECRETS: [&str; 3] = ["sesame", "walrus", "ratelimit:{"];

fn error(reply: &str) -> RedisError {
    let reply = redis::parse_redis_value(format!("-{reply}\r\n").as_bytes()).unwrap();
    reply.extract_error().unwrap_err()
}

fn shown(reply: &str) -> String {
    let shown = ErrorText::of(&error(reply)).text;
    assert!(!SECRETS.iter().any(|secret| shown.contains(secret)), "{reply}: {shown}");
    shown
}

#[test]
fn known_errors_have_their_own_text() {
    for (reply, expected) in [
        (
            "ERR unknown command 'EVALSHA', with args beginning with: 'abc' '1' 'ratelimit:{walrus}:login:c2' ",
            "ERR: `evalsha` is unknown, renamed, or blocked by a proxy",
        ),
        (
            "ERR unknown command `AUTH`, with args beginning with: `ann`, `sesame`, ",
            "ERR: `auth` is unknown, renamed, or blocked by a proxy",
        ),
        ("ERR unknown command 'sesame'", "ERR: a command is unknown, renamed, or blocked by a proxy"),
        (
            "ERR wrong number of arguments for 'client|setinfo' command",
            "wrong number of arguments for `client|setinfo`",
        ),
        (
            "NOPERM User walrus has no permissions to run the 'evalsha' command",
            "NOPERM: no permission to run `evalsha`; `lua/README.md` lists",
        ),
        (
            "NOPERM this user has no permissions to run the 'select' command or its subcommand",
            "NOPERM: no permission to run `select`",
        ),
        (
            "ERR ACL failure in script: User walrus has no permissions to run the 'zadd' command script: abc",
            "NOPERM: no permission to run `zadd`",
        ),
        (
            "NOPERM User a has no permissions to access the 'ratelimit:{walrus}' key",
            "NOPERM: no permission to access a key",
        ),
        ("NOPERM No permissions to access a channel", "NOPERM: no permission to access a channel"),
        (
            "ERR Error running script (call to f_abc): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'.",
            "OOM: the used memory is above `maxmemory`; increase `maxmemory`",
        ),
        ("ERR DB index is out of range", "ERR: the database in the URL does not exist"),
        (
            "LOADING Redis is loading the dataset in memory",
            "LOADING: the server is loading its data; calls succeed again",
        ),
        ("CLUSTERDOWN Hash slot not served", "CLUSTERDOWN: no node serves the slot"),
        ("MOVED 1 sesame:6379", "MOVED: another node serves the slot"),
        ("MISCONF sesame", "MISCONF: the server cannot save its data"),
        ("ERR ratelimit: one per key, sesame", "ERR: its text is not known"),
        (
            "ERR ratelimit: one key per request, and two for each run with callers script: abc, on @user_script:5.",
            "ERR: one key per request",
        ),
        ("ERR @user_script: 9: ratelimit: eight arguments per key", "ERR: eight arguments per key"),
        ("ERR sesame", "ERR: its text is not known"),
        ("SESAME walrus", "its code is not known"),
        ("sesame walrus", "its text has no code"),
    ] {
        let shown = shown(reply);
        assert!(shown.contains(expected), "{reply}: {shown}");
    }
}

#[test]
fn an_unknown_code_is_not_shown() {
    let ErrorText { code, kind, text } = ErrorText::of(&error("WALRUS sesame"));
    assert_eq!((code, kind), (None, None));
    assert!(text.starts_with("its code is not known"), "{text}");
    assert_eq!(ErrorText::of(&error("ERR")).code, Some("ERR"));
    assert_eq!(ErrorText::of(&error("-MISCONF ")).code, None);
}

#[test]
fn only_what_is_known_to_be_a_wrong_configuration_is_one() {
    use ErrorKind::{Configuration, Unavailable};
    for (reply, expected, says) in [
        // Errors of Envoy.
        ("no upstream host", Unavailable, "temporary error from: the proxy has no server"),
        ("upstream failure", Unavailable, "temporary error from: the proxy cannot reach its server"),
        ("upstream protocol error", Unavailable, "temporary error from: the proxy cannot understand"),
        ("unsupported command 'evalsha'", Configuration, "error from: `evalsha` is not supported"),
        ("invalid request", Configuration, "error from: a proxy does not accept the call"),
        // twemproxy sends the error texts of the operating system.
        (
            "ERR Connection refused",
            Unavailable,
            "temporary error from: ERR: the proxy cannot reach its server",
        ),
        (
            "ERR Connection timed out",
            Unavailable,
            "temporary error from: ERR: the proxy cannot reach its server",
        ),
        (
            "ERR Connection reset by peer",
            Unavailable,
            "temporary error from: ERR: the proxy has lost its server",
        ),
        // Errors of Redis.
        (
            "ERR Error running script (call to f_abc): @user_script:1: Script killed by user with SCRIPT KILL...",
            Unavailable,
            "temporary error from: ERR: the script was killed",
        ),
        (
            "ERR Error running script (call to f_abc): @user_script:1: attempt to compare nil with number",
            Configuration,
            "error from: ERR: a script failed",
        ),
        (
            "ERR max number of clients reached",
            Unavailable,
            "temporary error from: ERR: the server already has",
        ),
        (
            "ERR Protocol error: unauthenticated multibulk length",
            Configuration,
            "cannot log in to: the server",
        ),
        (
            "ERR Could not find scripting engine 'lua'",
            Configuration,
            "error from: ERR: the server has no Lua",
        ),
        (
            "ERR This instance has Lua scripting support disabled",
            Configuration,
            "error from: ERR: the server has no Lua",
        ),
        (
            "ERR Lua scripts without any input keys are not supported",
            Configuration,
            "error from: ERR: the server runs",
        ),
        (
            "ERR script tried accessing undeclared key, script id: walrus",
            Configuration,
            "error from: ERR: a script touched",
        ),
        ("WRONGTYPE Operation against a key", Configuration, "error from: WRONGTYPE"),
        ("OOM command not allowed", Unavailable, "temporary error from: OOM"),
        (
            "ERR max daily request limit exceeded. Limit: 10000, Usage: 10000. See https://walrus for details",
            Unavailable,
            "temporary error from: ERR: the provider's requests of this day are used up",
        ),
        (
            "ERR max requests limit exceeded. Limit: 500000, Usage: 500002.",
            Unavailable,
            "temporary error from: ERR: the provider's requests of this month are used up",
        ),
        (
            "ERR max concurrent request limit exceeded",
            Unavailable,
            "temporary error from: ERR: the provider admits no more requests at the same time",
        ),
        (
            "ERR max concurrent connections exceeded",
            Unavailable,
            "temporary error from: ERR: the provider admits no more connections",
        ),
        (
            "ERR DB capacity quota exceeded",
            Unavailable,
            "temporary error from: ERR: the provider's storage is used up",
        ),
        ("ERR something new", Unavailable, "unknown error from: ERR: its text is not known"),
        ("SOMETHING new", Unavailable, "unknown error from: its code is not known"),
        ("something new", Unavailable, "unknown error from: its text has no code"),
    ] {
        let Problem { kind, what, why } = Problem::of(&error(reply));
        assert_eq!(kind, expected, "{reply}");
        assert!(format!("{what}: {why}").starts_with(says), "{reply}: {what}: {why}");
    }
}

#[test]
fn the_table_lists_all_commands_of_the_scripts() {
    let mut called = 0;
    for script in [DECIDE, ADJUST].into_iter().chain(SINGLE.map(|(_, text)| text)) {
        for rest in script.split("call(\"").skip(1) {
            let command = rest.split('"').next().unwrap().to_lowercase();
            assert!(COMMANDS.contains(&command.as_str()), "{command}");
            called += 1;
        }
    }
    assert!(called > 50, "{called} commands found");
}

#[test]
fn a_lost_connection_has_the_text_of_the_system() {
    let refused = io::Error::from_raw_os_error(111);
    assert_eq!(lost_text(&RedisError::from(io::Error::from_raw_os_error(111))), refused.to_string());
    assert_eq!(lost_text(&io::Error::from(io::ErrorKind::BrokenPipe).into()), "broken pipe");
    assert_eq!(lost_text(&io::Error::new(io::ErrorKind::InvalidData, "sesame").into()), "invalid data");
    assert_eq!(lost_text(&(RedisKind::Io, "closed").into()), "the connection was closed");
    let lookup = io::Error::other("failed to lookup address information: sesame");
    assert_eq!(io_text(&lookup), "failed to lookup address information");
}
