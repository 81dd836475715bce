//! Checks that the workflows have no mistakes that actionlint knows, and that they run only commands of this repository.

use super::tools;
use crate::process::{root, run};
use crate::progress::Verdict;
use std::fs;
use std::path::PathBuf;

pub(crate) fn check() -> Result<Verdict, String> {
    let files = files().map_err(|error| format!(".github/workflows: {error}"))?;
    run(tools::actionlint()?.args(files)).map(|()| Verdict::Passed)
}

fn files() -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join(".github").join("workflows"))?;
    entries.map(|entry| entry.map(|entry| entry.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::files;
    use crate::servers::SERVERS;
    use crate::{Request, parse};
    use std::fs;

    /// The values of a key that is written in one line, such as `run: cargo xtask test`. If a value is a list, its elements.
    fn values(text: &str, key: &str) -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().trim_start_matches("- "));
        let values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        let elements = values.flat_map(|value| match value.strip_prefix('[') {
            Some(list) => list.trim_end_matches(']').split(", ").collect(),
            None => vec![value],
        });
        elements.map(|value| value.trim_matches('"').to_owned()).collect()
    }

    #[test]
    fn workflows_run_only_commands_of_this_repository() {
        let mut commands = 0;
        for file in files().unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            for run in values(&text, "run") {
                if run.starts_with("rustup toolchain install ") || run == "cargo xtask ${{ matrix.command }}"
                {
                    continue;
                }
                let command = run.strip_prefix("cargo xtask ");
                let command =
                    command.unwrap_or_else(|| panic!("{}: `{run}` is no command of xtask", file.display()));
                assert_known(command);
                commands += 1;
            }
            for command in values(&text, "command") {
                assert_known(&command);
                commands += 1;
            }
        }
        assert!(commands > 8, "only {commands} commands were found");
    }

    #[test]
    fn the_matrix_has_every_server() {
        let lists =
            files().unwrap().into_iter().map(|file| values(&fs::read_to_string(file).unwrap(), "server"));
        let found: Vec<_> = lists.flatten().collect();
        assert_eq!(found, SERVERS.map(|server| server.name));
    }

    /// Checks that xtask knows the command. The name of a server first replaces the workflow's expression for `matrix.server`.
    fn assert_known(command: &str) {
        let words = command.replace("${{ matrix.server }}", "system");
        let parsed = parse(words.split_whitespace().map(String::from));
        assert!(parsed.as_ref().is_ok_and(|request| *request != Request::Help), "`{command}`: {parsed:?}");
    }
}
