//! A server of the comparison. It is a separate process, so that its CPU time contains nothing else.

use super::{Load, actix, axum};
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

const ARGUMENT: &str = "--http-server";

/// A child process that serves until this value is dropped.
pub(super) struct Server {
    process: Child,
    pub(super) port: u16,
}

impl Server {
    pub(super) fn start(word: &str, load: Load, redis: &str) -> Result<Self, Box<dyn Error>> {
        let load = if load == Load::Passed { "passed" } else { "refused" };
        let mut command = Command::new(std::env::current_exe()?);
        command.args([ARGUMENT, word, load, redis]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let port = line.trim().parse().map_err(|_| format!("the server {word} did not start: {line:?}"))?;
        Ok(Self { process, port })
    }

    /// Returns the CPU time of all threads of the server, in seconds.
    pub(super) fn cpu(&self) -> f64 {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).into_iter().flatten().flatten();
        let nanos = tasks.filter_map(|task| {
            let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
            stat.split_whitespace().next()?.parse::<f64>().ok()
        });
        nanos.sum::<f64>() / 1e9
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// If [`Server::start`] has started this process, serves and then returns `true`.
pub(crate) fn is_child() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != ARGUMENT).skip(1);
    let (Some(word), Some(load), Some(redis)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return false;
    };
    // The input ends when the parent process ends.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let load = if load == "passed" { Load::Passed } else { Load::Refused };
    let served = match word.split_once('-') {
        Some(("axum", kind)) => axum::serve(kind, load, &redis),
        Some((_, kind)) => actix::serve(kind, load, &redis),
        None => Err("unknown server".into()),
    };
    if let Err(error) = served {
        eprintln!("{word}: {error}");
    }
    true
}
