//! The memory per key, measured in a new process for each subject. It includes all memory from the system, also the
//! allocator's own.

use super::subject::kinds;
use super::{keys, scattered};
use std::process::Command;

const ARGUMENT: &str = "--resident";

/// Returns the bytes per key of the subject with this index. `None` if they cannot be measured.
pub(crate) fn per_key(subject: usize, count: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let child =
        Command::new(program).args([ARGUMENT, &subject.to_string(), &count.to_string()]).output().ok()?;
    String::from_utf8(child.stdout).ok()?.trim().parse().ok()
}

/// If [`per_key`] has started this process, runs the measurement and returns `true`.
pub(crate) fn is_child() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != ARGUMENT).skip(1);
    let mut number = || arguments.next()?.parse::<usize>().ok();
    let Some((subject, count)) = number().zip(number()) else { return false };
    let keys = keys(0..count);
    let subject = (kinds()[subject].make)();
    let before = resident();
    (0..count).for_each(|at| subject.pass(&keys[scattered(at, count)]));
    if let Some((before, after)) = before.zip(resident()) {
        println!("{}", (after - before) / count as f64);
    }
    true
}

/// Returns the bytes that this process uses, as Linux reports them. `None` on other systems.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}
