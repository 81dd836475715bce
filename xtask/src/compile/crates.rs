//! The crates whose builds are measured: three crates of functions (with the attribute, with a handwritten check, and without a
//! check), and a macro crate that only has the attribute's dependencies.

use crate::process::root;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The number of functions in each crate.
pub(crate) const FUNCTIONS: u32 = 500;

/// The folders of the generated crates.
pub(crate) struct Crates {
    pub(crate) attribute: PathBuf,
    pub(crate) by_hand: PathBuf,
    pub(crate) bare: PathBuf,
    pub(crate) syn_alone: PathBuf,
}

/// The code before the functions, the same in all three crates.
const PRELUDE: &str = "#![allow(dead_code, unused_imports, unused_variables)]
use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;

pub struct Refused(pub Rejection);

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Self {
        Self(rejection)
    }
}
";

/// A macro that uses the same dependencies as the attribute.
const SYN_ALONE: &str = "#[proc_macro_attribute]
pub fn same(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item = syn::parse_macro_input!(item as syn::Expr);
    quote::quote!(#item).into()
}
";

impl Crates {
    pub(crate) fn write(place: &Path) -> io::Result<Self> {
        let runtime = root().join("ratelimit-runtime");
        let runtime = format!("ratelimit-runtime = {{ path = \"{}\" }}", runtime.display());
        let functions = |function: fn(u32) -> String| {
            PRELUDE.to_owned() + &(0..FUNCTIONS).map(function).collect::<String>()
        };
        let workspace = fs::read_to_string(root().join("Cargo.toml"))?;
        let macros = ["proc-macro2", "quote", "syn"].map(|name| line_of(&workspace, name)).join("\n");
        Ok(Self {
            attribute: package(place, "attribute", &runtime, &functions(with_attribute))?,
            by_hand: package(place, "by_hand", &runtime, &functions(by_hand))?,
            bare: package(place, "bare", &runtime, &functions(|i| function(i, "")))?,
            syn_alone: package(
                place,
                "syn_alone",
                &format!("{macros}\n[lib]\nproc-macro = true"),
                SYN_ALONE,
            )?,
        })
    }
}

/// Writes a package that uses the dependency versions and the profile of this workspace.
pub(super) fn package(place: &Path, name: &str, dependencies: &str, code: &str) -> io::Result<PathBuf> {
    let folder = place.join(name);
    fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n[dependencies]\n{dependencies}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("src/lib.rs"), code)?;
    Ok(folder)
}

/// Returns the line of a manifest that declares this dependency.
pub(super) fn line_of<'m>(manifest: &'m str, name: &str) -> &'m str {
    let declares = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(" ="));
    manifest.lines().find(declares).unwrap_or_default()
}

fn function(i: u32, first: &str) -> String {
    format!(
        "pub async fn f{i}(limiter: &RateLimiter, id: u64, kind: &str) -> Result<u64, Refused> {{\n{first}\
         Ok(id + {i})\n}}\n"
    )
}

fn with_attribute(i: u32) -> String {
    let arguments = match i % 4 {
        0 => format!("key = \"f{i}\", time = 60, count = 100"),
        1 => format!("key = \"f{i}\", time = 60, count = 100, by = id"),
        2 => format!(
            "key = \"f{i}:{{kind}}\", time = \"1h\", count = 20, algorithm = \"token_bucket\", burst = 5, by = id"
        ),
        _ => format!("key = \"f{i}\", time = 60, count = 100, by = id, cost = kind.len() as u32"),
    };
    format!("#[rate_limit({arguments}, limiter = limiter)]\n{}", function(i, ""))
}

fn by_hand(i: u32) -> String {
    let (limit, check) = match i % 4 {
        0 => ("counter(100, Duration::from_secs(60))", format!("check(&LIMIT, Key::new(\"f{i}\"))")),
        1 => ("counter(100, Duration::from_secs(60))", format!("check(&LIMIT, Key::new(\"f{i}\").by(id))")),
        2 => (
            "token_bucket(20, Duration::from_secs(3600)).burst(5)",
            format!("check(&LIMIT, Key::new(\"f{i}:{{kind}}\").by(id).part(kind))"),
        ),
        _ => (
            "counter(100, Duration::from_secs(60))",
            format!("check_cost(&LIMIT, Key::new(\"f{i}\").by(id), kind.len() as u32)"),
        ),
    };
    let first = format!("const LIMIT: Limit = Limit::{limit};\nlimiter.{check}.await?;\n");
    function(i, &first)
}

#[cfg(test)]
mod tests {
    use super::{by_hand, line_of, with_attribute};

    #[test]
    fn a_dependency_is_found_by_its_whole_name() {
        let manifest = "[workspace.dependencies]\nsyntax = \"1\"\nsyn = { version = \"3\" }\n";
        assert_eq!(line_of(manifest, "syn"), "syn = { version = \"3\" }");
    }

    #[test]
    fn the_attribute_and_the_handwritten_check_have_the_same_key_and_identity() {
        assert!(with_attribute(6).contains("key = \"f6:{kind}\"") && with_attribute(6).contains("by = id"));
        assert!(by_hand(6).contains("Key::new(\"f6:{kind}\").by(id).part(kind)"));
    }
}
