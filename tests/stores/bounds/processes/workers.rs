//! Starts worker processes and collects their records.

use crate::bounds::proofs::micros;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of processes, with 32 tasks each.
pub(crate) const PROCESSES: usize = 4;
/// The time for which the processes call.
const CALLING: Duration = Duration::from_secs(4);

/// An interval in microseconds since the epoch. All processes and the server use the same clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// The records of all processes.
pub(crate) struct Records {
    /// The interval of each admitted call, which contains its turn. A permit was held for the whole interval.
    pub(crate) passed: Vec<Span>,
    /// The intervals of refused calls from sending to refusal, in the order of sending.
    pub(crate) refused: Vec<Span>,
}

/// A process that ends when this value is dropped.
pub(crate) struct Worker(Child);

impl Worker {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_worker"));
        Self(command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// The next line of output.
    pub(crate) fn line(&mut self) -> String {
        let (mut line, stdout) = (Vec::new(), self.0.stdout.as_mut().unwrap());
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() > 0 && byte != *b"\n" {
            line.extend(byte);
        }
        String::from_utf8(line).unwrap()
    }

    /// Sends a line of input: the time at which the process stops calling.
    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The output until the process ends.
    fn report(mut self) -> String {
        let mut report = String::new();
        self.0.stdout.as_mut().unwrap().read_to_string(&mut report).unwrap();
        assert!(self.0.wait().unwrap().success(), "a worker has failed");
        report
    }

    /// Kills the process, and waits until it ends.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes [`PROCESSES`] processes call a limit of `worker_limits.rs`. Returns their records.
pub(crate) fn call(url: &str, limit: &str) -> Records {
    records(std::iter::repeat_with(|| Worker::start(&[url, limit])).take(PROCESSES).collect())
}

/// Makes several processes call a limit. Each pair contains the number of tasks of a process, and the pause of each of these
/// tasks after a call, in microseconds.
pub(crate) fn call_unevenly(url: &str, limit: &str, processes: &[(u32, u32)]) -> Records {
    let start =
        |(tasks, pause): &(u32, u32)| Worker::start(&[url, limit, &tasks.to_string(), &pause.to_string()]);
    records(processes.iter().map(start).collect())
}

fn records(mut workers: Vec<Worker>) -> Records {
    for worker in &mut workers {
        assert_eq!(worker.line(), "ready");
    }
    let until = now() + micros(CALLING);
    for worker in &mut workers {
        worker.tell(&until.to_string());
    }
    let reports: Vec<_> = workers.into_iter().map(Worker::report).collect();

    let mut records = Records { passed: Vec::new(), refused: Vec::new() };
    for line in reports.iter().flat_map(|report| report.lines()) {
        let mut words = line.split(' ');
        let what = words.next().unwrap();
        let moments: Vec<u64> = words.map(|moment| moment.parse().unwrap()).collect();
        match (what, moments.as_slice()) {
            ("passed", &[from, to]) => records.passed.push(Span { from, to }),
            ("refused", &[from, to]) => records.refused.push(Span { from, to }),
            _ => panic!("unexpected line of a worker: {line}"),
        }
    }
    records.refused.sort_unstable();
    records
}

pub(crate) fn now() -> u64 {
    micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap())
}
