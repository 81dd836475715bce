use super::*;

const SECRETS: [&str; 3] = ["sesame", "walrus", "ratelimit:{"];

fn error(answer: &str) -> RedisError {
    let answer = redis::parse_redis_value(format!("-{answer}\r\n").as_bytes()).unwrap();
    answer.extract_error().unwrap_err()
}

fn said(answer: &str) -> String {
    let said = Said::of(&error(answer)).to_string();
    assert!(!SECRETS.iter().any(|secret| said.contains(secret)), "{answer}: {said}");
    said
}

#[test]
fn known_errors_are_told_apart() {
    for (answer, says) in [
        (
            "ERR unknown command 'EVALSHA', with args beginning with: 'abc' '1' 'ratelimit:{walrus}:login:c1' ",
            "ERR: `evalsha` is unknown to it, renamed, or blocked by a proxy",
        ),
        (
            "ERR unknown command `AUTH`, with args beginning with: `ann`, `sesame`, ",
            "ERR: `auth` is unknown to it, renamed, or blocked by a proxy",
        ),
        ("ERR unknown command 'sesame'", "ERR: a command is unknown to it, renamed, or blocked by a proxy"),
        (
            "ERR wrong number of arguments for 'client|setinfo' command",
            "other arguments for `client|setinfo`",
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
            "OOM: its used memory is above `maxmemory`; give it more memory",
        ),
        ("ERR DB index is out of range", "ERR: the URL asks for a database that is not there"),
        (
            "LOADING Redis is loading the dataset in memory",
            "LOADING: it is loading its data; it will be ready",
        ),
        ("CLUSTERDOWN Hash slot not served", "CLUSTERDOWN: no node serves the slot"),
        ("MOVED 1 sesame:6379", "MOVED: another node has the slot"),
        ("MISCONF sesame", "MISCONF: it cannot save its data"),
        ("ERR ratelimit: one per key, sesame", UNKNOWN),
        ("ERR ratelimit: one key per request script: abc, on @user_script:5.", "ERR: one key per request"),
        ("ERR @user_script: 9: ratelimit: eight arguments per key", "ERR: eight arguments per key"),
        ("ERR sesame", UNKNOWN),
        ("SESAME walrus", UNKNOWN),
        ("sesame", UNKNOWN),
    ] {
        let said = said(answer);
        assert!(said.contains(says), "{answer}: {said}");
    }
}

#[test]
fn an_unknown_code_is_left_out() {
    assert_eq!(Said::of(&error("WALRUS sesame")), Said { code: None, what: UNKNOWN, command: None });
    assert_eq!(Said::of(&error("ERR")).code(), Some("ERR"));
    assert_eq!(Said::of(&error("-MISCONF ")).code(), None);
}

#[test]
fn scripts_call_no_other_commands() {
    let mut called = 0;
    for script in
        [DECIDE, ADJUST].into_iter().chain(crate::store::redis::script::single::TEXTS.map(|(_, text)| text))
    {
        for rest in script.split("call(\"").skip(1) {
            let command = rest.split('"').next().unwrap().to_lowercase();
            assert!(COMMANDS.contains(&command.as_str()), "{command}");
            called += 1;
        }
    }
    assert!(called > 50, "{called} commands found");
}

#[test]
fn a_lost_connection_is_said_in_words_of_the_system() {
    let refused = io::Error::from_raw_os_error(111);
    assert_eq!(lost(&RedisError::from(io::Error::from_raw_os_error(111))), refused.to_string());
    assert_eq!(lost(&io::Error::from(io::ErrorKind::BrokenPipe).into()), "broken pipe");
    assert_eq!(lost(&io::Error::new(io::ErrorKind::InvalidData, "sesame").into()), "invalid data");
    assert_eq!(lost(&(RedisKind::Io, "closed").into()), "it was closed");
    let lookup = io::Error::other("failed to lookup address information: sesame");
    assert_eq!(of_system(&lookup), "failed to lookup address information");
}
