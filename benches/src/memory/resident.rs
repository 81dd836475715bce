//! Memory per key, in a process of its own for each subject: what the system has given, allocators' own share included.

use super::subject::kinds;
use super::{keys, scattered};
use std::process::Command;

const ARGUMENT: &str = "--resident";

/// Bytes per key of the subject at a place in the list.
pub(crate) fn per_key(subject: usize, count: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let child =
        Command::new(program).args([ARGUMENT, &subject.to_string(), &count.to_string()]).output().ok()?;
    String::from_utf8(child.stdout).ok()?.trim().parse().ok()
}

/// What such a process does, if this is one.
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

/// Bytes in use by this process, as Linux tells them.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}
