//! Checks that the library and the command compile for Windows and macOS. Compiling does not need such a machine, but running the
//! tests does.

use crate::features;
use crate::process::{cargo, run};
use crate::progress::Verdict;
use crate::tools;

const TARGETS: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// TLS is left out, because it compiles C, which needs a compiler for the target.
const NEEDS_C: &str = "tls";

pub(crate) fn check() -> Result<Verdict, String> {
    let features: Vec<_> = features::names()?.into_iter().filter(|feature| feature != NEEDS_C).collect();
    for target in TARGETS {
        if let Err(error) = tools::ensure_target(target) {
            return Ok(Verdict::Open(format!("Rust's library for {target} cannot be installed ({error})")));
        }
        let check = |package: &str| cargo(&["check", "--locked", "--target", target, "-p", package]);
        run(check("ratelimit-runtime").args(["--features", &features.join(" ")]))?;
        run(check("ratelimit-cli").arg("--no-default-features"))?;
    }
    Ok(Verdict::Passed)
}
