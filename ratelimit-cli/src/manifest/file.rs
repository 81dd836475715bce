//! The committed form of the manifest: JSON without line numbers, in an order that does not depend on them.

use super::{Entry, Manifest, VERSION};
use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;

/// Why a committed manifest cannot be used.
#[derive(Debug)]
pub(crate) enum ReadError {
    Missing,
    Unreadable(io::Error),
    NotAManifest(serde_json::Error),
    OtherVersion(u64),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("does not exist"),
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::NotAManifest(error) => write!(f, "is not a manifest of limits: {error}"),
            Self::OtherVersion(found) => {
                write!(f, "has version {found}; this command knows version {VERSION}")
            }
        }
    }
}

/// Reads a committed manifest, also one that has line numbers.
pub(crate) fn read(path: &Path) -> Result<Manifest, ReadError> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReadError::Missing),
        text => text.map_err(ReadError::Unreadable)?,
    };
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(ReadError::NotAManifest)?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version != u64::from(VERSION) => Err(ReadError::OtherVersion(version)),
        _ => serde_json::from_value(value).map_err(ReadError::NotAManifest),
    }
}

/// Writes the limits. The file is replaced as a whole, so it is never half written.
pub(crate) fn write(path: &Path, entries: &[Entry]) -> io::Result<()> {
    let mut limits: Vec<Entry> = entries.iter().map(Entry::lasting).collect();
    limits.sort_by(|a, b| (&a.package, &a.target, &a.function).cmp(&(&b.package, &b.target, &b.function)));
    let manifest = Manifest { version: VERSION, limits, problems: Vec::new() };
    let mut text = serde_json::to_string_pretty(&manifest)?;
    text.push('\n');
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
