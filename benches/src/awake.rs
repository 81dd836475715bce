//! Keeps the machine's cores awake. One caller leaves them idle between its calls, and how long a virtual machine takes to
//! come back from that is several times what a call takes, and none of ours.

use std::process::{Child, Command, Stdio};

/// A busy process of the lowest priority for each core, until this is dropped.
pub(crate) struct Awake(Vec<Child>);

impl Awake {
    /// As many as can be started: without them the figures spread, and nothing else.
    pub(crate) fn keep() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = |_| {
            let mut command = Command::new("nice");
            command.args(["-n", "19", "sh", "-c", "while :; do :; done"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        };
        Self((0..cores).filter_map(busy).collect())
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        for process in &mut self.0 {
            // It may have ended with whoever sent it a signal.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
