//! Writes a file completely or not at all.

use crate::exit::Failure;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a temporary file next to the target, and renames it to the target.
///
/// # Errors
///
/// If the target exists and is not a file, or if the folder does not exist, is not writable, or is full.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    written(path, content)
        .map_err(|error| Failure::found(format!("cannot write `{}`: {error}", path.display())))
}

fn written(path: &Path, content: &[u8]) -> io::Result<()> {
    // A symbolic link is kept: the file that it points to is replaced.
    let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
    if target.exists() && !target.is_file() {
        return Err(io::Error::other("it exists, and is not a file"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // The mask of the process restricts these permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}
