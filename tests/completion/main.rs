//! Tests the completions of rust-analyzer in half-typed attributes and in half-typed bodies of limited functions. The
//! ordinary run does not include these tests: `cargo xtask completion` installs rust-analyzer and runs them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in helpers of tests: a panic is a failed test")]

mod client;

use client::Client;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the code of a crate with a limited function, with the given attribute and body.
fn code(attribute: &str, body: &str) -> String {
    format!(
        "use ratelimit::{{Rejection, rate_limit}};\n\
         struct User {{ id: u64, is_admin: bool }}\n\
         {attribute}\n\
         async fn login(user: &User) -> Result<(), Rejection> {{\n    {body}\n    Ok(())\n}}\n\
         fn main() {{}}\n"
    )
}

fn project() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(folder.join("src/main.rs"), code("", "")).unwrap();
    let manifest = format!(
        "[package]\nname = \"completion\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nratelimit-runtime = {{ path = \"{}\" }}\n",
        root.join("ratelimit-runtime").display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    folder
}

/// The `|` marks the position of the cursor.
#[test]
fn half_typed_code_is_completed() {
    let mut editor = Client::start(&project(), "src/main.rs");
    let mut complete = |attribute: &str, body: &str| editor.complete(&code(attribute, body));
    let of_a_user = BTreeSet::from(["id".to_owned(), "is_admin".to_owned()]);

    let arguments = complete("#[rate_limit(key = \"login\", ti|)]", "");
    for name in ["time", "count", "algorithm", "skip_if", "on_error"] {
        assert!(arguments.contains(name), "{name} is not among {arguments:?}");
    }
    assert!(complete("#[rate_limit(sk|, time = 60)]", "").contains("skip_if"));

    for body in ["user.|", "let id = user.|;", "if user.| {}"] {
        let plain = complete("#[inline]", body);
        assert!(plain.is_superset(&of_a_user), "{body}: {plain:?}");
        for attribute in [
            "#[rate_limit(count = 5)]",
            "#[rate_limit(key = \"login:{user.id}\", count = 5, by = user.id)]",
            "#[rate_limit(count = )]",
            "#[rate_limit(count = 5, algorithm = \"concurrency\")]",
        ] {
            assert_eq!(complete(attribute, body), plain, "{attribute} {body}");
        }
    }
    let value = complete("#[rate_limit(by = user.i|)]", "");
    assert!(value.is_superset(&of_a_user), "{value:?}");
}
