//! The command `mutants`: changes one expression or function after another, and checks whether a test notices (cargo-mutants).

use crate::measured::{Part, parts};
use crate::process::{cargo, target};
use crate::progress::Progress;
use crate::tools;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The share of viable mutants that the tests must notice, in percent.
const WANTED: usize = 95;
/// The exit codes of cargo-mutants if mutants were missed, and if tests took too long.
const FOUND: [i32; 2] = [2, 3];

/// The outcomes of the mutants of a part.
#[derive(Debug, Default, PartialEq)]
struct Outcomes {
    caught: usize,
    missed: Vec<String>,
    timeout: usize,
    /// The number of mutants that do not compile.
    unviable: usize,
}

/// Changes the named parts, or all parts. Arguments after `--`, such as `--shard 0/8` for a sample, are passed to cargo-mutants.
/// Fails if too many changes stay unnoticed.
pub(crate) fn perform(arguments: &[String]) -> Result<(), String> {
    let mut split = arguments.splitn(2, |argument| argument == "--");
    let parts = parts(split.next().unwrap_or_default())?;
    let options = split.next().unwrap_or_default();
    tools::ensure_cargo_command("mutants", "cargo-mutants")?;
    let server = tools::ensure_redis()?;
    let (mut progress, mut lines, mut few) = (Progress::default(), Vec::new(), Vec::new());
    for part in parts {
        progress.step(part.name, || {
            let place = target().join("mutants").join(part.name);
            fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
            let status = command(part, &place, options).env(tools::SERVER_VARIABLE, &server).status();
            let status = status.map_err(|error| format!("cannot start cargo-mutants: {error}"))?;
            if !status.success() && !status.code().is_some_and(|code| FOUND.contains(&code)) {
                return Err(status.to_string());
            }
            let outcomes = Outcomes::read(&place.join("mutants.out"))?;
            lines.push(outcomes.line(part.name));
            if outcomes.share() < WANTED {
                few.push(part.name);
            }
            Ok(())
        })?;
    }
    println!("\n{}\n\n{}", lines.join("\n"), progress.summary());
    if few.is_empty() { Ok(()) } else { Err(format!("less than {WANTED} % noticed: {}", few.join(", "))) }
}

fn command(part: &Part, place: &Path, options: &[String]) -> Command {
    let mut command = cargo(&["mutants", "--package", part.package, "--no-shuffle", "--colors", "never"]);
    command.args(["--file", &format!("{}/**/*.rs", part.folder), "--exclude", "**/tests.rs"]);
    // One test may take seconds. If a mutant loops forever, its test ends at this limit.
    command.args(["--minimum-test-timeout", "60", "--output"]).arg(place);
    command.arg("--test-package").arg(part.tested_by.join(",")).args(options);
    // The random tests need fewer operations to notice a mutant than to find a rare mistake.
    command.env("RATELIMIT_OPERATIONS", "10%");
    command.arg("--").args(part.test_arguments());
    command
}

impl Outcomes {
    fn read(folder: &Path) -> Result<Self, String> {
        let lines = |name: &str| -> Result<Vec<String>, String> {
            let file = folder.join(name);
            let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        Ok(Self {
            caught: lines("caught.txt")?.len(),
            missed: lines("missed.txt")?,
            timeout: lines("timeout.txt")?.len(),
            unviable: lines("unviable.txt")?.len(),
        })
    }

    fn viable(&self) -> usize {
        self.caught + self.timeout + self.missed.len()
    }

    /// The share of the viable mutants that were noticed, in percent, rounded down.
    fn share(&self) -> usize {
        100 * (self.caught + self.timeout) / self.viable().max(1)
    }

    fn line(&self, name: &str) -> String {
        let Self { caught, missed, timeout, unviable } = self;
        let missed: Vec<String> = missed.iter().map(|missed| format!("\n  missed: {missed}")).collect();
        let missed = missed.concat();
        format!(
            "{name}: {} of {} mutants noticed ({} %), {timeout} of them by a timeout; {unviable} do not compile{missed}",
            caught + timeout,
            self.viable(),
            self.share()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcomes, command};
    use crate::measured::PARTS;
    use std::path::Path;

    #[test]
    fn a_part_is_changed_and_tested_by_its_own_tests() {
        let command = command(&PARTS[5], Path::new("place"), &["--shard=0/8".to_owned()]);
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_str().unwrap()).collect();
        assert!(arguments.contains(&"ratelimit-runtime/src/store/memory/**/*.rs"), "{arguments:?}");
        assert!(arguments.contains(&"ratelimit-runtime,ratelimit-tests"), "{arguments:?}");
        assert_eq!(arguments.last(), Some(&"models::mixed"));
        let position = |wanted: &str| arguments.iter().position(|argument| *argument == wanted);
        assert!(position("--shard=0/8") < position("--"), "{arguments:?}");
    }

    #[test]
    fn the_share_counts_viable_mutants() {
        let outcomes = Outcomes { caught: 18, missed: vec!["a.rs: f".to_owned()], timeout: 1, unviable: 7 };
        assert_eq!(outcomes.share(), 95);
        let line = "limit: 19 of 20 mutants noticed (95 %), 1 of them by a timeout; 7 do not compile";
        assert_eq!(outcomes.line("limit"), format!("{line}\n  missed: a.rs: f"));
        assert_eq!(Outcomes::default().share(), 0);
    }
}
