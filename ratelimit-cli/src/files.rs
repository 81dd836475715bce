//! Writes a file completely or not at all.

use crate::exit::Failure;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes a file.
///
/// # Errors
///
/// If the target exists and is not a file, or if the folder does not exist, is not writable, or is full.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    Staged::new(path, content, path)?.commit()
}

/// A temporary file next to its target. [`commit`](Self::commit) renames it to the target. If it is dropped before, nothing has
/// changed.
pub(crate) struct Staged {
    file: NamedTempFile,
    target: PathBuf,
    /// The path as the user wrote it.
    path: PathBuf,
}

impl Staged {
    /// Writes the temporary file. The target keeps its mode if it exists; otherwise it gets the mode of the file `like`, if that
    /// exists.
    ///
    /// # Errors
    ///
    /// The errors of [`write`].
    pub(crate) fn new(path: &Path, content: &[u8], like: &Path) -> Result<Self, Failure> {
        Self::written(path, content, like).map_err(|error| failure(path, &error))
    }

    fn written(path: &Path, content: &[u8], like: &Path) -> io::Result<Self> {
        // A symbolic link is kept: the file that it points to is replaced.
        let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
        if target.exists() && !target.is_file() {
            return Err(io::Error::other("it exists, and is not a file"));
        }
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // The mask of the process restricts these permissions.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        #[cfg(unix)]
        if let Ok(known) = fs::metadata(&target).or_else(|_| fs::metadata(like)) {
            file.as_file().set_permissions(known.permissions())?;
        }
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(Self { file, target, path: path.to_owned() })
    }

    /// Replaces the target.
    ///
    /// # Errors
    ///
    /// The errors of [`write`].
    pub(crate) fn commit(self) -> Result<(), Failure> {
        self.file.persist(self.target).map(drop).map_err(|error| failure(&self.path, &error.error))
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::found(format!("cannot write `{}`: {error}", path.display()))
}

/// Whether two paths name one file. A path without a file is only the same as itself.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}
