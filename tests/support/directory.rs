//! A private temporary directory, removed on drop.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static CREATED: AtomicU32 = AtomicU32::new(0);

/// The files of one server: its data and its log.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// A new, empty directory.
    pub(crate) fn create() -> Self {
        // Uses the canonical path, because a server reports its path without symbolic links.
        let parent = std::env::temp_dir().canonicalize().expect("the temporary directory exists");
        loop {
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("ratelimit-redis-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // An earlier process with this id may have left a directory behind.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("cannot create {}: {error}", path.display()),
            }
        }
    }

    /// The path in the form in which the server reports it.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A new, empty log for the server's output.
    pub(crate) fn new_log(&self) -> fs::File {
        fs::File::create(self.log_path()).expect("a file can be created in the private directory")
    }

    /// The last lines of the log, for messages.
    pub(crate) fn log_tail(&self) -> String {
        let log = fs::read(self.log_path()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn log_path(&self) -> PathBuf {
        self.0.join("server.log")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // The watchdog may have removed it already.
        let _ = fs::remove_dir_all(&self.0);
    }
}
