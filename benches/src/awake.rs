//! Keeps the cores of the machine awake while a single caller is measured. A single caller leaves cores idle between its
//! calls. On a virtual machine, waking a core takes several times as long as a call.

use std::process::{Child, Command, Stdio};

/// One busy process with the lowest priority for each core. The processes end when this value is dropped.
pub(crate) struct Awake(Vec<Child>);

impl Awake {
    /// Starts the processes. Ignores processes that cannot be started; the results are then less stable.
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
            // The process may have ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
