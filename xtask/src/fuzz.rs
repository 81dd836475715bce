//! Fuzzing of the attribute's own code: builds the targets for libFuzzer, which learns from what its inputs reach, and
//! runs them one after another.
//!
//! The compiler's coverage counters are behind `-C`, so the stable toolchain will do. They go into what runs on this
//! machine's target, not into build scripts: hence `--target`, even for the host.

use crate::process::{cargo, output, root, run, target};
use crate::steps::Steps;
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const TARGETS: [&str; 4] = ["arguments", "template", "duration", "attribute"];

const EXECUTIONS: u64 = 10_000_000;
/// Longer texts reach nothing that these do not.
const LONGEST: u32 = 256;

const FLAGS: [&str; 8] = [
    "--cfg=fuzzing",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Fuzz {
    targets: Vec<&'static str>,
    executions: u64,
}

/// `[TARGET] [-- N]`.
pub(crate) fn parse(arguments: &[String]) -> Result<Fuzz, String> {
    let mut fuzz = Fuzz { targets: TARGETS.to_vec(), executions: EXECUTIONS };
    let mut rest = arguments;
    if let [name, after @ ..] = rest
        && name != "--"
    {
        let known = TARGETS.into_iter().find(|target| target == name);
        let unknown = || format!("unknown target `{name}`, expected one of {}", TARGETS.join(", "));
        fuzz.targets = vec![known.ok_or_else(unknown)?];
        rest = after;
    }
    match rest {
        [] => Ok(fuzz),
        [dashes, number] if dashes == "--" => {
            let wrong = |error| format!("`{number}` is no number of executions: {error}");
            fuzz.executions = number.parse().map_err(wrong)?;
            Ok(fuzz)
        }
        _ => Err("`fuzz` takes the name of a target, and after `--` the number of executions".to_owned()),
    }
}

/// All targets have their turn, also after a failure.
pub(crate) fn perform(fuzz: &Fuzz) -> Result<(), String> {
    tools::ensure_compiler()?;
    let host = host()?;
    let place = target().join("fuzz");
    let mut steps = Steps::default();
    steps.step("build", || run(&mut build(&place, &host)))?;
    let program = place.join(&host).join("release/fuzz-target");
    let mut failures = Vec::new();
    for name in &fuzz.targets {
        let result = steps.step(name, || {
            let corpus = plant(&place, name)?;
            run(&mut libfuzzer(&program, name, fuzz.executions, &place, &corpus))
                .map_err(|error| format!("{error}\n{}", again(name, &place)))
        });
        failures.extend(result.err());
    }
    println!("\n{}", steps.summary());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn build(place: &Path, host: &str) -> Command {
    let mut command = cargo(&["build", "--locked", "--release", "--package", "ratelimit-fuzz"]);
    command.args(["--target", host, "--target-dir"]).arg(place);
    command.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    command
}

fn libfuzzer(program: &Path, name: &str, executions: u64, place: &Path, corpus: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("RATELIMIT_FUZZ_TARGET", name);
    command.arg(format!("-runs={executions}")).arg(format!("-max_len={LONGEST}"));
    command.arg(format!("-dict={}", root().join("fuzz/dictionary.txt").display()));
    command.arg(format!("-artifact_prefix={}/{name}-", place.display()));
    command.args(["-verbosity=0", "-print_final_stats=1", "-reload=0"]).arg(corpus);
    command
}

/// Puts the seeds beside what earlier runs have found.
fn plant(place: &Path, name: &str) -> Result<PathBuf, String> {
    let seeds = root().join("fuzz/seeds").join(name).with_extension("txt");
    let corpus = place.join("corpus").join(name);
    let planted = || {
        fs::create_dir_all(&corpus)?;
        let seeds = fs::read_to_string(&seeds)?;
        seeds.lines().enumerate().try_for_each(|(i, seed)| fs::write(corpus.join(format!("seed-{i}")), seed))
    };
    planted().map_err(|error| format!("{}: {error}", seeds.display()))?;
    Ok(corpus)
}

fn again(name: &str, place: &Path) -> String {
    let input = place.join(format!("{name}-crash-.."));
    format!("once more: cargo run --package ratelimit-fuzz {name} {}", input.display())
}

fn host() -> Result<String, String> {
    let rustc = output(&mut cargo(&["version", "--verbose"]))?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "cargo does not say its host".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{EXECUTIONS, Fuzz, TARGETS, build, host, parse};
    use crate::process::root;
    use std::path::Path;

    fn parsed(line: &str) -> Result<Fuzz, String> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_target_and_a_number_can_be_said() {
        assert_eq!(parsed(""), Ok(Fuzz { targets: TARGETS.to_vec(), executions: EXECUTIONS }));
        assert_eq!(parsed("-- 5"), Ok(Fuzz { targets: TARGETS.to_vec(), executions: 5 }));
        assert_eq!(parsed("template -- 5"), Ok(Fuzz { targets: vec!["template"], executions: 5 }));
    }

    #[test]
    fn mistakes_are_named() {
        let known = "arguments, template, duration, attribute";
        assert_eq!(parsed("keys"), Err(format!("unknown target `keys`, expected one of {known}")));
        assert!(parsed("template -- many").unwrap_err().starts_with("`many` is no number of executions: "));
        assert!(parsed("template 5").is_err());
    }

    #[test]
    fn every_target_has_seeds() {
        for name in TARGETS {
            assert!(root().join(format!("fuzz/seeds/{name}.txt")).is_file(), "{name}");
        }
    }

    #[test]
    fn build_scripts_are_left_alone() {
        let host = host().unwrap();
        let command = build(Path::new("x"), &host);
        assert!(command.get_args().any(|argument| argument == host.as_str()));
    }
}
