//! The command `coverage`: measures which lines the tests of a part execute, with cargo-llvm-cov.

use crate::measured::{Part, parts};
use crate::process::{cargo, output, root, run};
use crate::progress::Progress;
use crate::tools;
use serde_json::Value;
use std::process::Command;

/// The share of lines that the tests of a part must execute, in percent.
const WANTED: f64 = 90.0;

/// A file, with the number of its executable lines, and the number of lines that were executed.
#[derive(Debug, PartialEq)]
struct File {
    name: String,
    lines: u64,
    covered: u64,
}

/// Measures the named parts, or all parts. Fails if a part has too many lines that no test executes.
pub(crate) fn perform(names: &[String]) -> Result<(), String> {
    let parts = parts(names)?;
    tools::ensure_cargo_command("llvm-cov", "cargo-llvm-cov")?;
    let llvm = tools::ensure_llvm()?;
    let server = tools::ensure_redis()?;
    let (mut progress, mut lines, mut few) = (Progress::default(), Vec::new(), Vec::new());
    for part in parts {
        progress.step(part.name, || {
            let with_tools = |mut command: Command| {
                command.envs(llvm.iter().cloned()).env(tools::SERVER_VARIABLE, &server);
                command
            };
            run(&mut with_tools(tests(part)))?;
            let report = output(&mut with_tools(cargo(&["llvm-cov", "report", "--json", "--summary-only"])))?;
            let files = files(&report, part)?;
            let share = share(&files);
            lines.push(described(part.name, &files, share));
            if share < WANTED {
                few.push(part.name);
            }
            Ok(())
        })?;
    }
    println!("\n{}\n\n{}", lines.join("\n"), progress.summary());
    if few.is_empty() {
        Ok(())
    } else {
        Err(format!("less than {WANTED} % of the lines: {}", few.join(", ")))
    }
}

/// Runs the tests of a part. The counters of earlier tests are removed.
fn tests(part: &Part) -> Command {
    let mut command = cargo(&["llvm-cov", "--no-report", "--locked"]);
    for package in part.tested_by {
        command.args(["--package", package]);
    }
    command.args(part.test_arguments());
    command
}

/// The sources of a part in a report. Tests are not measured.
fn files(report: &str, part: &Part) -> Result<Vec<File>, String> {
    let report: Value =
        serde_json::from_str(report).map_err(|error| format!("the report of cargo-llvm-cov: {error}"))?;
    let folder = root().join(part.folder);
    let of_part = |file: &Value| {
        let name = file["filename"].as_str()?;
        let path = std::path::Path::new(name).strip_prefix(&folder).ok()?;
        let lines = &file["summary"]["lines"];
        let file = File {
            name: path.to_str()?.to_owned(),
            lines: lines["count"].as_u64()?,
            covered: lines["covered"].as_u64()?,
        };
        (!file.name.ends_with("tests.rs")).then_some(file)
    };
    let found = report["data"][0]["files"].as_array();
    Ok(found.into_iter().flatten().filter_map(of_part).collect())
}

#[expect(clippy::cast_precision_loss, reason = "numbers of lines")]
fn share(files: &[File]) -> f64 {
    let sum = |of: fn(&File) -> u64| files.iter().map(of).sum::<u64>();
    100.0 * sum(|file| file.covered) as f64 / sum(|file| file.lines).max(1) as f64
}

fn described(name: &str, files: &[File], share: f64) -> String {
    let lines: u64 = files.iter().map(|file| file.lines).sum();
    let covered: u64 = files.iter().map(|file| file.covered).sum();
    let open = files.iter().filter(|file| file.covered < file.lines);
    let open: Vec<String> = open
        .map(|file| {
            format!("\n  {}: {} of {} lines not executed", file.name, file.lines - file.covered, file.lines)
        })
        .collect();
    let open = open.concat();
    format!("{name}: {covered} of {lines} lines executed ({share:.1} %){open}")
}

#[cfg(test)]
mod tests {
    use super::{described, files, share};
    use crate::measured::PARTS;
    use crate::process::root;

    #[test]
    fn only_the_sources_of_the_part_count() {
        let file = |name: &str, count: u64, covered: u64| {
            let path = root().join(name);
            format!(
                r#"{{"filename": {:?}, "summary": {{"lines": {{"count": {count}, "covered": {covered}}}}}}}"#,
                path.display().to_string()
            )
        };
        let list = [
            file("ratelimit-limit/src/text.rs", 60, 54),
            file("ratelimit-limit/src/change/tests.rs", 90, 1),
            file("ratelimit-limit/src/lib.rs", 40, 40),
            file("lua/lib.rs", 10, 0),
        ];
        let report = format!(r#"{{"data": [{{"files": [{}]}}]}}"#, list.join(","));
        let found = files(&report, &PARTS[0]).unwrap();
        assert!((share(&found) - 94.0).abs() < 1e-9);
        let expected = "limit: 94 of 100 lines executed (94.0 %)\n  text.rs: 6 of 60 lines not executed";
        assert_eq!(described("limit", &found, share(&found)), expected);
        assert!(files("nothing", &PARTS[0]).is_err());
    }
}
