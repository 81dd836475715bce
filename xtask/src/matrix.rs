//! What runs on several servers, one after another: the stores' tests, as they are and in long.

use crate::process::{cargo, run};
use crate::servers::Server;
use crate::steps::Steps;
use crate::tools::SERVER_VARIABLE;
use crate::wheels;
use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::time::SystemTime;

const OPERATIONS: &str = "RATELIMIT_OPERATIONS";
const SEED: &str = "RATELIMIT_SEED";

/// What is the same on every server.
struct Suite<'a> {
    release: bool,
    filter: &'a [String],
    variables: Vec<(&'static str, String)>,
}

/// The ordinary tests of the stores.
pub(crate) fn test(servers: &[&Server], filter: &[String]) -> Result<(), String> {
    on_each(servers, &Suite { release: false, filter, variables: Vec::new() })
}

/// The same with many more random operations, from a seed that nobody has tried, and tests that are too long for
/// every day.
pub(crate) fn soak(servers: &[&Server], filter: &[String]) -> Result<(), String> {
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let clock = clock.map(|time| time.as_secs().to_string()).unwrap_or_default();
    let given = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let variables = soak_variables(given, clock);
    let shown: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{}", shown.join(" "));
    on_each(servers, &Suite { release: true, filter, variables })
        .map_err(|error| format!("{error}\nthe same run again: {} cargo xtask soak ..", shown[1..].join(" ")))
}

/// What the caller has set stays.
fn soak_variables(given: impl Fn(&str) -> Option<String>, clock: String) -> Vec<(&'static str, String)> {
    vec![
        ("RATELIMIT_SOAK", "1".to_owned()),
        (OPERATIONS, given(OPERATIONS).unwrap_or_else(|| "1000000".to_owned())),
        (SEED, given(SEED).unwrap_or(clock)),
    ]
}

/// All servers have their turn, also after a failure: what fails on one only says more.
fn on_each(servers: &[&Server], suite: &Suite<'_>) -> Result<(), String> {
    let mut steps = Steps::default();
    let programs = find(&mut steps, servers)?;
    steps.step("build", || run(suite.command().arg("--no-run")))?;
    let mut failures = Vec::new();
    for (server, program) in servers.iter().zip(&programs) {
        let result = steps.step(&format!("stores on {}", server.name), || run(&mut suite.tests(program)));
        failures.extend(result.err());
    }
    println!("\n{}", steps.summary());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// The servers' programs. All are there before the first is used.
pub(crate) fn find(steps: &mut Steps, servers: &[&Server]) -> Result<Vec<OsString>, String> {
    let mut programs = Vec::new();
    for server in servers {
        steps.step(&format!("find {}", server.name), || {
            let program = wheels::program(server)?;
            run(Command::new(&program).arg("--version"))?;
            programs.push(program);
            Ok(())
        })?;
    }
    Ok(programs)
}

impl Suite<'_> {
    fn command(&self) -> Command {
        let mut command = cargo(&["test", "--locked", "--package", "ratelimit-tests", "--test", "stores"]);
        if self.release {
            command.arg("--release");
        }
        command
    }

    fn tests(&self, program: &OsString) -> Command {
        let mut command = self.command();
        command.args(self.filter).env(SERVER_VARIABLE, program).envs(self.variables.iter().cloned());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::{Suite, soak_variables};
    use std::ffi::OsString;

    #[test]
    fn a_soak_starts_from_the_clock_unless_told_otherwise() {
        let values = |given: Option<&str>| {
            let variables = soak_variables(|_| given.map(String::from), "1795000000".to_owned());
            variables.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(values(None), ["1", "1000000", "1795000000"]);
        assert_eq!(values(Some("7")), ["1", "7", "7"]);
    }

    #[test]
    fn the_server_and_the_filter_reach_the_tests() {
        let filter = ["faults", "--", "--nocapture"].map(String::from);
        let suite =
            Suite { release: true, filter: &filter, variables: vec![("RATELIMIT_SEED", "7".to_owned())] };
        let command = suite.tests(&OsString::from("valkey-server"));
        let args: Vec<_> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
        assert_eq!(args[args.len() - 4..], ["--release", "faults", "--", "--nocapture"]);
        let variable = |name: &str| command.get_envs().any(|(key, value)| key == name && value.is_some());
        assert!(variable("RATELIMIT_REDIS_SERVER") && variable("RATELIMIT_SEED"));
    }
}
