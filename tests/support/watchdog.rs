//! A child process that cannot outlive this one, without any unsafe code.
//!
//! A shell starts the server and holds the reading end of a pipe whose writing end is in this process. The
//! kernel closes that pipe however this process ends, and the shell then kills the server.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take to start or to end.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// A line on the pipe asks for a kill; the end of the pipe asks for a kill and for no traces. Descriptor 3
/// is there because a shell gives its background jobs an empty standard input. The watcher ignores the
/// shell's goodbye once it has killed, so that its exit code tells which of the two it was.
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

/// A running server under its watchdog.
#[derive(Debug)]
pub(crate) struct Watched {
    shell: Child,
    /// Not left in `shell`, because `Child::wait` closes what it finds there.
    lifeline: Option<ChildStdin>,
}

impl Watched {
    /// Starts the program, whose output goes to `log`. A program that cannot be started shows as an exit
    /// code of 126 or 127.
    pub(crate) fn spawn(program: &OsStr, args: &[String], directory: &Path, log: File) -> io::Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(directory).arg(program).args(args);
        shell.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        // Its own group: what interrupts the tests from a terminal must not interrupt the cleaning up.
        let mut shell = shell.process_group(0).spawn()?;
        let lifeline = shell.stdin.take();
        Ok(Self { shell, lifeline })
    }

    /// How the server ended, if it has.
    pub(crate) fn exited(&mut self) -> Option<ExitStatus> {
        self.shell.try_wait().expect("a child can be waited for")
    }

    /// Waits for the server to end by itself; `None` when it has not within [`LIMIT`].
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

    /// Kills the server without warning and waits for its end. Its files stay.
    pub(crate) fn kill(mut self) {
        if let Some(pipe) = &mut self.lifeline {
            // A failure means that the server, and the shell with it, has already ended.
            let _ = pipe.write_all(b"kill\n");
        }
        assert!(self.wait().is_some(), "the server survived a kill");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        // No `expect`: this may run while a failed test unwinds.
        let deadline = Instant::now() + LIMIT;
        while matches!(self.shell.try_wait(), Ok(None)) && Instant::now() < deadline {
            sleep(Duration::from_millis(2));
        }
    }
}
