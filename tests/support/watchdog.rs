//! A child process that cannot outlive this process, without any unsafe code.
//!
//! A shell starts the server and reads from a pipe to which this process writes. However this process ends, the kernel closes
//! the pipe. The shell then kills the server.

use crate::directory::Directory;
use crate::ports::free_port;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time in which a server may start or end.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// A line on the pipe requests a kill. The end of the pipe requests a kill and the removal of all files. The script copies the
/// pipe to descriptor 3, because a shell gives its background jobs an empty standard input. Before the kill, the watcher starts
/// to ignore the `TERM` that the shell sends to it. Its exit code is therefore 1 only if the pipe was closed.
const SCRIPT: &str = r#"
directory=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(
    read -r _ <&3; closed=$?
    trap '' TERM
    kill -9 "$server"
    exit "$closed"
) &
watcher=$!
wait "$server"; code=$?
kill "$watcher"
wait "$watcher" 2>/dev/null
[ $? -ne 1 ] || rm -rf -- "$directory"
exit "$code"
"#;

/// A running server and its watchdog.
#[derive(Debug)]
pub(crate) struct Watched {
    shell: Child,
    /// The shell's standard input. It is not stored in `shell`, because `Child::wait` would close it.
    lifeline: Option<ChildStdin>,
}

impl Watched {
    /// Starts the program, and writes its output to `log`. If the program cannot be started, the exit code is 126 or 127.
    pub(crate) fn spawn(program: &OsStr, args: &[String], directory: &Path, log: File) -> io::Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(directory).arg(program).args(args);
        shell.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        // A separate process group, so that an interrupt from the terminal does not stop the clean-up.
        let mut shell = shell.process_group(0).spawn()?;
        let lifeline = shell.stdin.take();
        Ok(Self { shell, lifeline })
    }

    /// Starts a program on a free port, with the arguments for that port, and waits until it is ready. Returns the process and
    /// the port.
    pub(crate) fn on_a_free_port(
        program: &str,
        directory: &Directory,
        args: impl Fn(u16) -> Vec<String>,
        is_ready: impl Fn(u16) -> bool,
    ) -> (Self, u16) {
        let deadline = Instant::now() + LIMIT;
        loop {
            let port = free_port();
            let log = directory.new_log();
            let mut process = Self::spawn(OsStr::new(program), &args(port), directory.path(), log)
                .expect("`sh` can be started");
            while !is_ready(port) {
                let late = Instant::now() > deadline;
                assert!(!late, "{program} does not start:\n{}", directory.log_tail());
                sleep(Duration::from_millis(5));
                if let Some(status) = process.exited() {
                    let missing = matches!(status.code(), Some(126 | 127));
                    assert!(!missing, "cannot start `{program}`: run `cargo xtask test`, which installs it");
                    break;
                }
            }
            // Another process may take the port between its choice and its use.
            if process.exited().is_none() {
                return (process, port);
            }
        }
    }

    /// The exit status of the server, if it has ended.
    pub(crate) fn exited(&mut self) -> Option<ExitStatus> {
        self.shell.try_wait().expect("a child can be waited for")
    }

    /// Waits until the server ends by itself. Returns `None` if it has not ended within [`LIMIT`].
    pub(crate) fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + LIMIT;
        loop {
            let status = self.exited();
            if status.is_some() || Instant::now() > deadline {
                return status;
            }
            sleep(Duration::from_millis(2));
        }
    }

    /// Kills the server and waits until it ends. Its files remain.
    pub(crate) fn kill(mut self) {
        if let Some(pipe) = &mut self.lifeline {
            // A failure means that the server and the shell have already ended.
            let _ = pipe.write_all(b"kill\n");
        }
        assert!(self.wait().is_some(), "the server survived a kill");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        // This avoids `expect`, because it may run while a failed test unwinds.
        let deadline = Instant::now() + LIMIT;
        while matches!(self.shell.try_wait(), Ok(None)) && Instant::now() < deadline {
            sleep(Duration::from_millis(2));
        }
    }
}
