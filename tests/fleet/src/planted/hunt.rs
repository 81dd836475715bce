//! Hunts planted bugs: runs seeds with each bug until a promise is broken.

use super::{Bug, ROOT, VARIABLE, copy, root};
use crate::say;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A run of one bug that lasts longer than this has found it: the bug lets a fleet run forever.
const FOREVER: Duration = Duration::from_secs(1800);

/// Hunts bugs. Prints for each bug the first seed that finds it. `options` select the list of the bugs again, in the programs that
/// run one bug each. Returns whether all were found.
///
/// # Errors
///
/// The copy of the workspace cannot be made or built.
pub(super) fn hunt(bugs: Vec<Bug>, options: &[String], seeds: u64, threads: usize) -> Result<bool, String> {
    let number = bugs.len();
    let (program, bugs) = copy::build(bugs)?;
    if bugs.len() < number {
        say(format_args!("{} of {number} bugs do not compile", number - bugs.len()));
    }
    let (start, next, found) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((number, bug)) = bugs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = until_found(&program, *number, bug, options, seeds);
                    found.fetch_add(usize::from(line.is_some()), Ordering::Relaxed);
                    say(format_args!("{:<48} {}", bug.name, line.as_deref().unwrap_or("NOT FOUND")));
                }
            });
        }
    });
    let found = found.into_inner();
    say(format_args!(
        "{found} of {} planted bugs found, each within {seeds} seeds, in {:.1?}",
        bugs.len(),
        start.elapsed()
    ));
    Ok(found == bugs.len())
}

/// Returns the line that names the first seed that finds the bug, and the promise that it breaks.
fn until_found(program: &Path, number: usize, bug: &Bug, options: &[String], seeds: u64) -> Option<String> {
    let mut command = Command::new(program);
    command.args(["--seeds", &seeds.to_string(), "--threads", "1", "--until-broken"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).env(ROOT, root());
    if bug.is_in_script() {
        command.args(["--plant", &bug.name]).args(options);
    } else {
        // Without the options, which would make this run hunt all of the list again.
        command.env(VARIABLE, number.to_string());
    }
    let (start, mut child) = (Instant::now(), command.spawn().ok()?);
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > FOREVER {
            let _ = child.kill();
            return Some("a run does not end".to_owned());
        }
        thread::sleep(Duration::from_millis(20));
    }
    let mut output = String::new();
    child.stdout.take()?.read_to_string(&mut output).ok()?;
    output.lines().find(|line| line.starts_with("seed ")).map(str::to_owned)
}
