//! Compiles random attributes with the real compiler. The compiler must report errors, and neither the macro nor the compiler may
//! panic.

#![expect(clippy::unwrap_used, reason = "in test helpers, a panic fails the test")]

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
    let stderr = String::from_utf8_lossy(&output.stderr);
    let errors = stderr.lines().filter(|line| line.starts_with("error")).count();
    assert!(errors > COUNT, "only {errors} errors, so the attributes were not expanded:\n{stderr}");
    for broken in ["panicked at", "attribute panicked", "internal compiler error", "SIG"] {
        let line = stderr.lines().find(|line| line.contains(broken));
        assert!(line.is_none(), "{}: {}", folder.display(), line.unwrap());
    }
}

fn manifest(root: &Path) -> String {
    // The runtime is not needed, because the compiler already stops at missing names.
    let macros = root.join("ratelimit-macros");
    format!(
        "[package]\nname = \"attributes\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nratelimit-macros = {{ path = \"{}\" }}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n",
        macros.display()
    )
}

/// Writes the code, with a module for each function, so that the errors of functions do not hide each other.
fn code() -> String {
    let seeds = Target::named("arguments").unwrap().seeds;
    let mut generator = Generator::new(7);
    let mut code = "use ratelimit_macros::rate_limit;\n".to_owned();
    for i in 0..COUNT {
        let arguments = if i % 2 == 0 { generator.arguments() } else { generator.mutated(seeds) };
        // Text that cannot be lexed never reaches an attribute. The newline after the arguments ends a comment in them.
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
