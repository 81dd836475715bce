//! The part `metrics`: how much more a decision costs when its outcome is counted.
//!
//! The feature is either compiled in or not. So the decisions run in a separate program (`observe/`), which is built twice.
//! In each round, both programs run one after another.

use crate::report::page::folder;
use crate::report::{Better, Bound, Row, Table};
use crate::{Effort, Results};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "ratelimit-observe-bench";
const CALLS: &str = "400000";
/// There are more rounds than in the other parts, because a round is short and the differences are small.
const ROUNDS: usize = 5;

const OFF: &str = "without the feature `metrics`";
const IDLE: &str = "with the feature, no recorder";
const RECORDED: &str = "with the Prometheus recorder";

/// The most nanoseconds that counting may add.
const GOAL: f64 = 30.0;

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let [without, with] = [build(&[], "without")?, build(&["--features", "metrics"], "with")?];
    let columns = ["attribute, ns", "check, ns"];
    let mut table = Table::new("One call, one thread, the same key", &columns).draw(0, Better::Less);
    let subjects = [(OFF, &without, "bare"), (IDLE, &with, "bare"), (RECORDED, &with, "prometheus")];
    table.rows = subjects.iter().map(|(name, ..)| Row::new(*name, *name != OFF, columns.len())).collect();
    for _ in 0..effort.rounds * ROUNDS {
        for ((_, program, recorder), row) in subjects.iter().zip(&mut table.rows) {
            row.push(&[measure(program, "attribute", recorder)?, measure(program, "check", recorder)?]);
        }
    }
    for counted in [IDLE, RECORDED] {
        for column in 0..columns.len() {
            table.goal(counted, OFF, column, Bound::Beyond(GOAL));
        }
    }
    Ok(Results { context: "On the memory store, one hot key.".to_owned(), tables: vec![table] })
}

/// Builds the program with options of cargo. Returns the path of a copy with the given name.
fn build(options: &[&str], name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let target = target()?;
    let mut command = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    command.args(["build", "--quiet", "--locked", "--release", "--package", PROGRAM]).args(options);
    command.arg("--target-dir").arg(&target).current_dir(folder());
    // With the compiler flags of this process, cargo would build everything again, so the build does not get them.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    if !command.status()?.success() {
        return Err(format!("{PROGRAM} does not build").into());
    }
    let copy = target.join(name);
    std::fs::copy(target.join("release").join(PROGRAM), &copy)?;
    Ok(copy)
}

/// Returns the target folder of the program: `observe` in the target folder of this program.
fn target() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).ok_or("this program is in no target folder")?;
    Ok(target.join("observe"))
}

/// Runs the program. Returns the nanoseconds of a call.
fn measure(program: &Path, subject: &str, recorder: &str) -> Result<f64, Box<dyn Error>> {
    let output = Command::new(program).args([subject, recorder, CALLS]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
