//! Counts the instructions of a call with callgrind. Unlike times, they are the same on every machine of one kind.

use super::front::subjects;
use std::process::Command;

const ARGUMENT: &str = "--instructions";
const FEW: u32 = 500;
const MANY: u32 = 2500;

/// Returns the instructions of a call of the subject with this index. `None` without valgrind.
pub(super) fn per_call(subject: usize) -> Option<f64> {
    // The difference of two runs has no instructions of the start and the end of the program.
    let [few, many] = [FEW, MANY].map(|calls| collected(subject, calls));
    Some((many? - few?) / f64::from(MANY - FEW))
}

fn collected(subject: usize, calls: u32) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = command.args([ARGUMENT, &subject.to_string(), &calls.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stderr).ok()?;
    let (_, number) = text.lines().find_map(|line| line.split_once("Collected :"))?;
    number.trim().parse().ok()
}

/// If [`per_call`] has started this process, makes the calls and returns `true`.
pub(crate) fn is_child() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != ARGUMENT).skip(1);
    let mut number = || arguments.next()?.parse::<u32>().ok();
    let Some((subject, calls)) = number().zip(number()) else { return false };
    if let Some(subject) = subjects().get(subject as usize) {
        (subject.run)(calls);
    }
    true
}
