//! The store tests on several server versions, one after another: the commands `test --servers` and `soak`.

use crate::checks::tests_match;
use crate::process::{cargo, run};
use crate::progress::Progress;
use crate::servers::Server;
use crate::tools::SERVER_VARIABLE;
use crate::wheels;
use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::time::SystemTime;

const OPERATIONS: &str = "RATELIMIT_OPERATIONS";
const SEED: &str = "RATELIMIT_SEED";

/// The settings with which the tests run on each server.
struct Suite<'a> {
    release: bool,
    filter: &'a [String],
    variables: Vec<(&'static str, String)>,
}

/// Runs the store tests on each server.
pub(crate) fn test(servers: &[&Server], filter: &[String]) -> Result<(), String> {
    on_each(servers, &Suite { release: false, filter, variables: Vec::new() })
}

/// Runs the store tests with many more random operations and a new seed, including the tests that take too long for every day.
pub(crate) fn soak(servers: &[&Server], filter: &[String]) -> Result<(), String> {
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let clock = clock.map(|time| time.as_secs().to_string()).unwrap_or_default();
    let given = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let variables = soak_variables(given, clock);
    let shown: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{}", shown.join(" "));
    on_each(servers, &Suite { release: true, filter, variables })
        .map_err(|error| format!("{error}\nto repeat this run: {} cargo xtask soak ..", shown[1..].join(" ")))
}

/// The environment variables of the command `soak`. Variables that the caller has set keep their values.
fn soak_variables(given: impl Fn(&str) -> Option<String>, clock: String) -> Vec<(&'static str, String)> {
    vec![
        ("RATELIMIT_SOAK", "1".to_owned()),
        (OPERATIONS, given(OPERATIONS).unwrap_or_else(|| "1000000".to_owned())),
        (SEED, given(SEED).unwrap_or(clock)),
    ]
}

/// Runs the tests on all servers, even if they fail on one server. A failure on only one server helps to find the cause.
fn on_each(servers: &[&Server], suite: &Suite<'_>) -> Result<(), String> {
    let mut progress = Progress::default();
    let programs = find(&mut progress, servers)?;
    progress.step("build", || run(suite.command().arg("--no-run")))?;
    tests_match(&mut suite.command(), suite.filter)?;
    let mut failures = Vec::new();
    for (server, program) in servers.iter().zip(&programs) {
        let result =
            progress.step(&format!("stores on {}", server.name), || run(&mut suite.tests(server, program)));
        failures.extend(result.err());
    }
    println!("\n{}", progress.summary());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Finds the program of each server. Downloads missing programs before the first program is used.
pub(crate) fn find(progress: &mut Progress, servers: &[&Server]) -> Result<Vec<OsString>, String> {
    let mut programs = Vec::new();
    for server in servers {
        progress.step(&format!("find {}", server.name), || {
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

    fn tests(&self, server: &Server, program: &OsString) -> Command {
        let mut command = self.command();
        if self.filter.is_empty() && !server.tests().is_empty() {
            command.arg("--").args(server.tests());
        }
        command.args(self.filter).env(SERVER_VARIABLE, program).envs(self.variables.iter().cloned());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::{Suite, soak_variables};
    use crate::servers::{LUA54, SERVERS};
    use std::ffi::OsString;

    #[test]
    fn the_seed_of_a_soak_is_the_time_unless_it_is_given() {
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
        let command = suite.tests(&SERVERS[0], &OsString::from("valkey-server"));
        let args: Vec<_> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
        assert_eq!(args[args.len() - 4..], ["--release", "faults", "--", "--nocapture"]);
        let variable = |name: &str| command.get_envs().any(|(key, value)| key == name && value.is_some());
        assert!(variable("RATELIMIT_REDIS_SERVER") && variable("RATELIMIT_SEED"));
        let suite = Suite { filter: &[], ..suite };
        let command = suite.tests(&LUA54, &OsString::from("ratelimit-lua54"));
        assert!(command.get_args().any(|arg| arg == "models::"), "only the tests that it can run");
    }
}
