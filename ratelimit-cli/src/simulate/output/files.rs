//! Files: all are written beside their targets first, and then renamed, so that none is ever half written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Checks that no file is to be written twice.
pub(crate) fn check_paths<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), String> {
    let mut seen: Vec<&Path> = Vec::new();
    for path in paths {
        if seen.contains(&path) {
            return Err(format!("`{}` is given for two files; write two names", path.display()));
        }
        seen.push(path);
    }
    Ok(())
}

/// Files that are written, but do not have their names yet. Those that are left when it is dropped are removed.
#[derive(Default)]
pub(crate) struct Files {
    written: Vec<Written>,
}

struct Written {
    temporary: PathBuf,
    target: PathBuf,
}

impl Files {
    /// Writes a file beside its target.
    ///
    /// # Errors
    ///
    /// If the target exists and is not a file, or if the folder does not exist, is not writable, or is full.
    pub(crate) fn add(&mut self, path: &Path, content: &[u8]) -> Result<(), String> {
        self.write(path, content).map_err(|error| failed(path, &error))
    }

    fn write(&mut self, path: &Path, content: &[u8]) -> io::Result<()> {
        // A symbolic link keeps its place: the file that it leads to is replaced.
        let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
        if target.exists() && !target.is_file() {
            return Err(io::Error::other("it exists, and is not a file"));
        }
        let name = target.file_name().ok_or_else(|| io::Error::other("it has no file name"))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let temporary = target.with_file_name(hidden);
        let mut file = File::create_new(&temporary)?;
        self.written.push(Written { temporary, target });
        file.write_all(content)?;
        file.sync_all()
    }

    /// Gives all files their names.
    pub(crate) fn finish(mut self) -> Result<Vec<PathBuf>, String> {
        let mut finished = Vec::new();
        while !self.written.is_empty() {
            let Written { temporary, target } = &self.written[0];
            fs::rename(temporary, target).map_err(|error| failed(target, &error))?;
            finished.push(self.written.remove(0).target);
        }
        Ok(finished)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for Written { temporary, .. } in &self.written {
            // There is nobody to tell: the error that stopped the command is reported.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
