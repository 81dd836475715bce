//! Tests `cargo ratelimit`, on the sources of small workspaces and of this repository.

mod changes;
mod list;
mod openapi;

use crate::harness::{Ran, finish};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MANIFEST: &str = r#"
[package]
name = "shop"
edition = "2024"
[workspace]
[dependencies]
ratelimit = { package = "ratelimit-runtime", version = "0.1" }
other = "1"
"#;

/// A workspace in a separate folder.
struct Project(PathBuf);

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects").join(name);
        let _ = fs::remove_dir_all(&folder);
        let project = Self(folder);
        project.write("Cargo.toml", MANIFEST);
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// Creates a package whose library is this text.
    fn of(name: &str, library: &str) -> Self {
        Self::new(name, &[("src/lib.rs", library)])
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(&self.0, arguments)
    }

    /// The limits of `list --json`.
    fn limits(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(&[&["list", "--json"], arguments].concat()).exits(0);
        assert_eq!(ran.err, "");
        ran.json()["limits"].as_array().unwrap().clone()
    }
}

fn run_in(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-ratelimit"));
    command.arg("ratelimit").args(arguments).current_dir(folder).env("LANG", "C.UTF-8");
    for name in ["RATELIMIT_OFF", "RATELIMIT_URL", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
}
