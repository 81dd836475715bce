//! The small server with Lua 5.4 (`tests/lua54`). The tests of the scripts also run on it.

use crate::process::{run, target};
use std::ffi::OsString;
use std::process::Command;

/// Builds the server alone, and returns its program. The server has its own target folder. In the usual target folder, it would
/// rebuild everything, because its compiler flags differ.
pub(crate) fn program(cargo: fn(&[&str]) -> Command) -> Result<OsString, String> {
    let place = target().join("lua54");
    let mut build = cargo(&["build", "--locked", "--release", "--package", "ratelimit-lua54"]);
    run(build.arg("--target-dir").arg(&place).env("CARGO_ENCODED_RUSTFLAGS", "--cfg=lua54"))?;
    Ok(place.join("release/ratelimit-lua54").into())
}
