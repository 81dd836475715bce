//! The command `fuzz`: builds the fuzz targets for libFuzzer and runs them one after another.
//!
//! libFuzzer uses coverage counters to find inputs that reach new code. The stable compiler adds these counters with `-C` flags.
//! The option `--target` keeps these flags away from build scripts, so it is passed even if the target is the host.

use crate::process::{cargo, output, root, run, target};
use crate::progress::Progress;
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const TARGETS: [&str; 11] = [
    "arguments",
    "template",
    "duration",
    "attribute",
    "forwarded",
    "limit",
    "url",
    "retry_after",
    "log",
    "reply",
    "stored",
];

const EXECUTIONS: u64 = 10_000_000;
/// The maximum length of an input in bytes. Longer inputs do not reach more code.
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

/// The parsed arguments of `fuzz`.
#[derive(Debug, PartialEq)]
pub(crate) struct Fuzz {
    targets: Vec<&'static str>,
    executions: u64,
}

/// Parses `[TARGET] [-- N]`.
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
            let wrong = |error| format!("`{number}` is not a number of inputs: {error}");
            fuzz.executions = number.parse().map_err(wrong)?;
            Ok(fuzz)
        }
        _ => Err("`fuzz` takes at most one target, and after `--` the number of inputs, as in `fuzz template -- 100000`".to_owned()),
    }
}

/// Runs all selected targets, even if one fails.
pub(crate) fn perform(fuzz: &Fuzz) -> Result<(), String> {
    tools::ensure_compiler()?;
    let host = host()?;
    let place = target().join("fuzz");
    let mut progress = Progress::default();
    progress.step("build", || run(&mut build(&place, &host)))?;
    let program = place.join(&host).join("release/fuzz-target");
    let mut failures = Vec::new();
    for name in &fuzz.targets {
        let result = progress.step(name, || {
            let corpus = add_seeds(&place, name)?;
            run(&mut libfuzzer(&program, name, fuzz.executions, &place, &corpus))
                .map_err(|error| format!("{error}\n{}", how_to_repeat(name, &place)))
        });
        failures.extend(result.err());
    }
    println!("\n{}", progress.summary());
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

/// Adds the seeds to the corpus of earlier runs. Returns the folder of the corpus.
fn add_seeds(place: &Path, name: &str) -> Result<PathBuf, String> {
    let seeds = root().join("fuzz/seeds").join(name).with_extension("txt");
    let corpus = place.join("corpus").join(name);
    let write = || {
        fs::create_dir_all(&corpus)?;
        let seeds = fs::read_to_string(&seeds)?;
        seeds.lines().enumerate().try_for_each(|(i, seed)| fs::write(corpus.join(format!("seed-{i}")), seed))
    };
    write().map_err(|error| format!("{}: {error}", seeds.display()))?;
    Ok(corpus)
}

fn how_to_repeat(name: &str, place: &Path) -> String {
    let input = place.join(format!("{name}-crash-.."));
    format!("to run this input again: cargo run --package ratelimit-fuzz {name} {}", input.display())
}

/// The target triple of this machine.
fn host() -> Result<String, String> {
    let rustc = output(&mut cargo(&["version", "--verbose"]))?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`cargo version --verbose` does not print the host".to_owned())
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
    fn a_target_and_a_number_can_be_given() {
        assert_eq!(parsed(""), Ok(Fuzz { targets: TARGETS.to_vec(), executions: EXECUTIONS }));
        assert_eq!(parsed("-- 5"), Ok(Fuzz { targets: TARGETS.to_vec(), executions: 5 }));
        assert_eq!(parsed("template -- 5"), Ok(Fuzz { targets: vec!["template"], executions: 5 }));
    }

    #[test]
    fn errors_name_the_wrong_argument() {
        let known = TARGETS.join(", ");
        assert_eq!(parsed("keys"), Err(format!("unknown target `keys`, expected one of {known}")));
        assert!(parsed("template -- many").unwrap_err().starts_with("`many` is not a number of inputs: "));
        assert!(parsed("template 5").is_err());
    }

    #[test]
    fn every_target_has_seeds() {
        for name in TARGETS {
            assert!(root().join(format!("fuzz/seeds/{name}.txt")).is_file(), "{name}");
        }
    }

    #[test]
    fn the_flags_do_not_apply_to_build_scripts() {
        let host = host().unwrap();
        let command = build(Path::new("x"), &host);
        assert!(command.get_args().any(|argument| argument == host.as_str()));
    }
}
