//! Builds the page on which users can try limits: one file, which contains the engine as WebAssembly.

use crate::process::{cargo, root, run, target};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};

/// The target of the engine. Its programs read standard input and write standard output, as on other targets.
const TARGET: &str = "wasm32-wasip1";

/// Builds the engine and writes the page.
pub(super) fn write(page: &Path) -> Result<(), String> {
    let program = engine()?;
    let program = fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let source = |name: &str| {
        let path = root().join("playground").join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let text = source("page.html")?
        .replace("/*STYLE*/", &source("style.css")?)
        .replace("/*ENGINE*/", &source("engine.js")?)
        .replace("/*PAGE*/", &source("page.js")?)
        .replace("/*WASM*/", &base64(&program));
    fs::write(page, text).map_err(|error| format!("{}: {error}", page.display()))
}

/// Compiles the engine for a small size, and returns its path. The engine has its own target folder, because the usual builds
/// have other flags.
fn engine() -> Result<PathBuf, String> {
    const PACKAGE: &str = "ratelimit-playground";
    tools::ensure_target(TARGET)?;
    let folder = target().join("wasm");
    let mut command =
        cargo(&["build", "--locked", "--release", "--package", PACKAGE, "--target", TARGET, "--target-dir"]);
    for (setting, value) in
        [("OPT_LEVEL", "s"), ("LTO", "true"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("STRIP", "true")]
    {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    run(command.arg(&folder))?;
    Ok(folder.join(TARGET).join("release").join(format!("{PACKAGE}.wasm")))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_become_letters() {
        let encoded = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
