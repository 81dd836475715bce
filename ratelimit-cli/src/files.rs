//! Files that the command writes. A file is written completely or not at all.

use crate::exit::Failure;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files that are written next to their targets and renamed at the end.
#[derive(Default)]
pub(crate) struct Files(Vec<(NamedTempFile, PathBuf)>);

impl Files {
    /// Writes a file next to its target.
    ///
    /// # Errors
    ///
    /// If the target exists and is not a file, or if the folder does not exist, is not writable, or is full.
    pub(crate) fn add(&mut self, path: &Path, content: &[u8]) -> Result<(), Failure> {
        let written = written(path, content).map_err(|error| failed(path, &error))?;
        self.0.push(written);
        Ok(())
    }

    /// Renames all files to their targets.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        for (file, target) in self.0 {
            file.persist(&target).map_err(|error| failed(&target, &error.error))?;
        }
        Ok(())
    }
}

fn written(path: &Path, content: &[u8]) -> io::Result<(NamedTempFile, PathBuf)> {
    // A symbolic link stays: the file to which it leads is replaced.
    let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
    if target.exists() && !target.is_file() {
        return Err(io::Error::other("it exists, and is not a file"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(not(unix))]
    let mut file = NamedTempFile::new_in(folder)?;
    // The mask of the process restricts these permissions.
    #[cfg(unix)]
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok((file, target))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::found(format!("cannot write `{}`: {error}", path.display()))
}
