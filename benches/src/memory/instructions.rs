//! Counts the instructions of a call with callgrind. Unlike times, they are the same on every machine of one kind.

use super::front::{Front, subjects};
use std::process::Command;

const ARGUMENT: &str = "--instructions";
const CALLS: u32 = 5000;

/// Returns the instructions of a call of the subject with this index. `None` without valgrind.
pub(super) fn per_call(subject: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new("valgrind");
    // Counts only while `counted_calls` runs.
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted_calls*"]);
    let output = command.arg(program).args([ARGUMENT, &subject.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stderr).ok()?;
    let (_, number) = text.lines().find_map(|line| line.split_once("Collected :"))?;
    Some(number.trim().parse::<f64>().ok()? / f64::from(CALLS))
}

/// If [`per_call`] has started this process, makes the calls and returns `true`.
pub(crate) fn is_child() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != ARGUMENT).skip(1);
    let Some(subject) = arguments.next().and_then(|number| number.parse::<usize>().ok()) else {
        return false;
    };
    if let Some(subject) = subjects().get(subject) {
        (subject.run)(1000); // the first calls make the entry of the key
        counted_calls(subject);
    }
    true
}

#[inline(never)]
fn counted_calls(subject: &Front) {
    (subject.run)(CALLS);
}
