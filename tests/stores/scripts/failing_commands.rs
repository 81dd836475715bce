//! Commands that fail on the server. The script ends with the error of the command. There are two exceptions: a key of another
//! type, and a key that another node of a cluster has. The error of such a key affects only the request for this key.

use super::arguments::{decided, run};
use super::source_rules::FILES;
use ratelimit::__testing;
use redis::{Connection, Script};
use support::RedisServer;

/// A prelude that makes commands fail if `condition` holds for their `name` and `key`.
pub(super) fn failing(condition: &str, error: &str) -> String {
    format!(
        "local redis = (function(server)
          local function through(command, fail)
            return function(name, key, ...)
              if {condition} then return fail(\"{error}\") end
              if key then return command(name, key, ...) end
              return command(name)
            end
          end
          return setmetatable({{
            call = through(server.call, function(text) error(text, 0) end),
            pcall = through(server.pcall, function(text) return {{ err = text }} end),
          }}, {{ __index = server }})
        end)(redis)\n"
    )
}

/// Asserts that both scripts end with the error of a command.
pub(super) fn report_failing_commands(raw: &mut Connection, decide: &str, adjust: &str) {
    for (command, at_once) in [("GET", "0"), ("MGET", "1"), ("INCRBY", "1"), ("SET", "0")] {
        let prelude = failing(&format!("name == '{command}'"), "NOPERM simulated");
        let [broken, adjust] = [decide, adjust].map(|text| Script::new(&[&prelude, text].concat()));
        for algorithm in
            ["counter", "token_bucket", "token_bucket_interval", "leaky_bucket", "sliding_window"]
        {
            redis::cmd("FLUSHALL").exec(raw).unwrap();
            let arguments =
                |mode: &'static str| [mode, at_once, algorithm, "7", "60000", "7", "0", "1", "1", "0"];
            if command == "INCRBY" {
                run(raw, &Script::new(decide), &["a"], &arguments("check")).unwrap();
            }
            for mode in ["check", "charge"] {
                let error = run(raw, &broken, &["a"], &arguments(mode)).expect_err(command);
                assert!(error.contains("simulated"), "{algorithm} {command} {mode}: {error}");
            }
            if ["GET", "SET"].contains(&command) {
                let take = ["take", algorithm, "7", "60000", "7", "0", "1", "0"];
                let error = run(raw, &adjust, &["a"], &take).expect_err(command);
                assert!(error.contains("simulated"), "{algorithm} {command} take: {error}");
            }
        }
    }
}

/// Asserts that `any_slot` reports a key that another node has and decides the other keys, but ends with any other error.
pub(super) fn report_keys_elsewhere(raw: &mut Connection, any_slot: &str, decide: &str) {
    let arguments =
        ["3", "a", "elsewhere", "b", "check", "0", "counter", "5", "60000", "5", "0", "3", "1", "0"];
    for (error, is_elsewhere) in [
        ("ERR Script attempted to access a non local key in a cluster node", true),
        ("ERR Script attempted to access keys that do not hash to the same slot", true),
        ("ERR The user executing the script can't access at least one of the keys mentioned", true),
        ("ERR The user executing the script can't run this command or subcommand", true),
        ("NOPERM this user has no permissions to access one of the keys", true),
        ("OOM command not allowed when used memory > 'maxmemory'", false),
    ] {
        redis::cmd("FLUSHALL").exec(raw).unwrap();
        let prelude = failing("key == 'elsewhere'", error);
        let script = Script::new(&[&prelude, any_slot, decide].concat());
        let answer = run(raw, &script, &[], &arguments);
        if is_elsewhere {
            let answer = decided(&answer.expect(error));
            let passed = 4 * 60_001 + 60_000;
            assert_eq!(answer, [passed, 2 - (1 << 53), 0, 0, passed], "{error}");
            let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(raw).unwrap();
            keys.sort();
            assert_eq!(keys, ["a", "b"], "{error}");
        } else {
            assert!(answer.expect_err(error).contains("OOM"));
        }
    }
}

/// The text of `any_slot.lua`.
pub(super) fn any_slot() -> &'static str {
    FILES.iter().find(|(name, _)| *name == "any_slot.lua").expect("the file is there").1
}

#[test]
fn a_command_that_fails_ends_the_script() {
    let [decide, adjust] = __testing::scripts();
    report_failing_commands(&mut RedisServer::start().raw(), decide, adjust);
}

#[test]
fn a_key_elsewhere_affects_only_its_own_request() {
    let [decide, _] = __testing::scripts();
    report_keys_elsewhere(&mut RedisServer::start().raw(), any_slot(), decide);
}
