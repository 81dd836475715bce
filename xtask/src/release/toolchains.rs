//! Checks that each feature compiles with the Rust that is stated for it, and that this Rust is not newer than the policy
//! permits.

use crate::features::{self, Version};
use crate::process::{root, run, succeeds, target};
use crate::progress::Verdict;
use crate::tools::announce;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The library must compile with every Rust that was released within this time.
const SUPPORTED: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(crate) fn check() -> Result<Verdict, String> {
    let stated = features::stated()?;
    let base = stated[0].1;
    let newest_permitted = SystemTime::now() - SUPPORTED;
    if released(base) > newest_permitted {
        return Err(format!(
            "Rust {base} is younger than a year, so people who update once a year cannot use it"
        ));
    }
    for version in stated.iter().map(|(_, version)| *version).collect::<BTreeSet<_>>() {
        let name = version.to_string();
        if !succeeds(Command::new("rustup").args(["run", &name, "cargo", "--version"]))
            && let Err(error) = announce(&["rustup", "toolchain", "install", &name, "--profile", "minimal"])
        {
            return Ok(Verdict::Open(format!("Rust {name} cannot be installed ({error})")));
        }
    }
    for (feature, version) in &stated {
        println!("  {version}  {}", if feature.is_empty() { "(no feature)" } else { feature });
        build(*version, &["-p", "ratelimit-runtime", "--features", feature])?;
    }
    println!("  {base}  (the command)");
    build(base, &["-p", "ratelimit-cli"])?;
    Ok(Verdict::Passed)
}

fn build(version: Version, scope: &[&str]) -> Result<(), String> {
    let mut command = Command::new("rustup");
    command.args(["run", &version.to_string(), "cargo", "check", "--locked"]).args(scope);
    command.env("CARGO_TARGET_DIR", target().join(format!("rust-{version}"))).current_dir(root());
    run(command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN"))
}

/// The release date of a version of Rust. Releases come every six weeks, counted from 1.88 on 2025-06-26.
fn released(Version(_, minor): Version) -> SystemTime {
    let of_88 = SystemTime::UNIX_EPOCH + 20_265 * DAY;
    let weeks = |versions: u32| versions * 6 * 7 * DAY;
    if minor >= 88 { of_88 + weeks(minor - 88) } else { of_88 - weeks(88 - minor) }
}

#[cfg(test)]
mod tests {
    use super::{DAY, released};
    use crate::features::Version;
    use std::time::SystemTime;

    #[test]
    fn versions_of_rust_have_dates() {
        let day = |version| {
            released(version).duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() / DAY.as_secs()
        };
        assert_eq!(day(Version(1, 95)), 20_559, "2026-04-16");
        assert_eq!(day(Version(1, 85)), 20_139, "2025-02-20");
    }
}
