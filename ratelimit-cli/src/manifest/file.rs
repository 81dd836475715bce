//! The committed form of the manifest: JSON without line numbers, in an order that does not depend on line numbers.

use super::{Entry, Manifest, VERSION};
use crate::exit::Failure;
use crate::files;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The advice about a file that cannot be used.
const WRITE: &str = "write it with `cargo ratelimit check --write`";

/// Reads a committed manifest. The manifest may have line numbers.
pub(crate) fn read(path: &Path) -> Result<Manifest, Failure> {
    let failed = |why: String| Failure::found(format!("{} {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed(format!("does not exist; {WRITE}")),
        _ => failed(format!("cannot be read: {error}")),
    })?;
    let invalid = |error| failed(format!("is not a manifest of limits: {error}; {WRITE}"));
    let value: Value = serde_json::from_slice(&text).map_err(invalid)?;
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found != u64::from(VERSION) => Err(failed(format!(
            "has version {found}; this command knows version {VERSION}; use the same version of `ratelimit-cli` everywhere, or {WRITE}"
        ))),
        _ => serde_json::from_value(value).map_err(invalid),
    }
}

/// Writes the limits.
pub(crate) fn write(path: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let mut limits: Vec<Entry> = entries.iter().map(Entry::lasting).collect();
    limits.sort_by(|a, b| (&a.package, &a.target, &a.function).cmp(&(&b.package, &b.target, &b.function)));
    let manifest = Manifest { version: VERSION, limits, problems: Vec::new() };
    let text = serde_json::to_string_pretty(&manifest).map_err(io::Error::from)?;
    files::write(path, (text + "\n").as_bytes())
}
