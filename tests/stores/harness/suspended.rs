//! A server process that a signal has suspended.

use support::RedisServer;

/// Suspends a server until this value is dropped. The server sends no replies, but its connections stay open.
pub(crate) struct Suspended {
    process: String,
}

impl Suspended {
    pub(crate) fn new(server: &RedisServer) -> Self {
        let info: String = redis::cmd("INFO").arg("server").query(&mut server.raw()).unwrap();
        let process =
            info.lines().find_map(|line| line.strip_prefix("process_id:")).unwrap().trim().to_owned();
        let suspended = Self { process };
        suspended.signal("-STOP");
        suspended
    }

    fn signal(&self, name: &str) {
        assert!(std::process::Command::new("kill").args([name, &self.process]).status().unwrap().success());
    }
}

impl Drop for Suspended {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}
