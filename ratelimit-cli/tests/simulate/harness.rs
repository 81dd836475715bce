//! Runs the command in a separate folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is deleted when this value is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("simulate-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// The names of all files, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `ratelimit simulate` in this folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs `ratelimit simulate` in this folder, with a text on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        fs::write(self.0.join("input"), input).unwrap();
        let input = fs::File::open(self.0.join("input")).unwrap();
        Ran::of(self.command(arguments).stdin(input).output().unwrap())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratelimit"));
        command.arg("simulate").args(arguments).current_dir(&self.0).stdin(Stdio::null());
        for variable in ["NO_COLOR", "RATELIMIT_HASH_SECRET", "COLUMNS"] {
            command.env_remove(variable);
        }
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output of the command, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) error: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), out: text(output.stdout), error: text(output.stderr) }
    }

    /// The output of a run that must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.error.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The message of a run that must have failed with this code and printed nothing else.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{}", self.error);
        assert!(self.error.starts_with("error: "), "{}", self.error);
        self.error
    }
}

/// A line of a log in the combined format, at this number of seconds after noon.
pub(crate) fn log_line(second: u32, address: &str, user: &str, path: &str) -> String {
    let time = format!("{:02}:{:02}:{:02}", 12 + second / 3600, second / 60 % 60, second % 60);
    format!(
        "{address} - {user} [22/Nov/2026:{time} +0000] \"GET {path} HTTP/1.1\" 200 2326 \"-\" \"curl/8.5\"\n"
    )
}
