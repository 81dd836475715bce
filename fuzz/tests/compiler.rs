//! Random attributes in a real compiler: whatever they say, it answers with errors, and does not break.

#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use fuzz::generate::Generator;
use fuzz::targets::{FUNCTIONS, Target};
use proc_macro2::TokenStream;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const COUNT: usize = 200;

#[test]
fn no_attribute_breaks_the_compiler() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attributes");
    fs::create_dir_all(folder.join("src")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest(root)).unwrap();
    fs::write(folder.join("src/lib.rs"), code()).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--color=never"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.ancestors().nth(2).unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let errors = said.lines().filter(|line| line.starts_with("error")).count();
    assert!(errors > COUNT, "only {errors} errors, the attributes were not looked at:\n{said}");
    for broken in ["panicked at", "attribute panicked", "internal compiler error", "SIG"] {
        let line = said.lines().find(|line| line.contains(broken));
        assert!(line.is_none(), "{}: {}", folder.display(), line.unwrap());
    }
}

fn manifest(root: &Path) -> String {
    // Names are missing anyway: the compiler never gets as far as to the runtime.
    let macros = root.join("ratelimit-macros");
    format!(
        "[package]\nname = \"attributes\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nratelimit-macros = {{ path = \"{}\" }}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n",
        macros.display()
    )
}

/// A module for each function, so that none hides another.
fn code() -> String {
    let seeds = Target::named("arguments").unwrap().seeds;
    let mut generator = Generator::new(7);
    let mut code = "use ratelimit_macros::rate_limit;\n".to_owned();
    for i in 0..COUNT {
        let arguments = if i % 2 == 0 { generator.arguments() } else { generator.mutated(seeds) };
        // What is no tokens never reaches an attribute. On a line of its own a comment ends.
        if arguments.parse::<TokenStream>().is_err() {
            continue;
        }
        let function = FUNCTIONS[i % FUNCTIONS.len()];
        let (open, close) = match i % FUNCTIONS.len() {
            8 => ("", ""),
            9 => ("trait T {", "}"),
            _ => ("struct F; impl F {", "}"),
        };
        writeln!(
            code,
            "mod of_{i} {{ use super::*; {open}\n#[rate_limit({arguments}\n)]\n{function}\n{close} }}"
        )
        .unwrap();
    }
    code
}
