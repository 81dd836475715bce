//! Tests the compiler messages that users of the attribute see. `TRYBUILD=overwrite` accepts changed messages; read the diff
//! before you commit them.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The name of the folder that `write_plain_cases` writes.
const PLAIN: &str = "plain";

#[test]
fn mistakes_are_explained() {
    write_plain_cases().unwrap();
    trybuild::TestCases::new().compile_fail("*/*.rs");
}

/// Writes the folder `plain`: each case of the folder `body`, with another attribute instead of the limit. The expected
/// messages of both folders are equal, because a limit does not change the messages about a wrong body.
fn write_plain_cases() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plain = root.join(PLAIN);
    let _ = fs::remove_dir_all(&plain);
    fs::create_dir(&plain)?;
    for case in fs::read_dir(root.join("body"))? {
        let case = case?;
        let text = fs::read_to_string(case.path())?;
        let lines = text.lines().map(|line| match line {
            "use ratelimit::{Rejection, rate_limit};" => "use ratelimit::Rejection;".to_owned(),
            line if line.starts_with("#[rate_limit(") => "#[inline]".to_owned(),
            line => line.replace("--> body/", "--> plain/"),
        });
        let text: String = lines.map(|line| line + "\n").collect();
        assert!(!text.contains("rate_limit"), "{}: an attribute on several lines", case.path().display());
        fs::write(plain.join(case.file_name()), text)?;
    }
    Ok(())
}

/// The compiler quotes the standard library only if its sources are installed, so an expected message with such a quote
/// fails on other machines.
#[test]
fn no_expected_message_quotes_the_standard_library() {
    let files = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let topics =
        files(env!("CARGO_MANIFEST_DIR").into()).filter(|path| path.is_dir() && !path.ends_with(PLAIN));
    for path in topics.flat_map(files).filter(|path| path.extension().is_some_and(|end| end == "stderr")) {
        let quotes = fs::read_to_string(&path).unwrap().contains("--> $RUST");
        assert!(!quotes, "{}: choose a mistake whose message does not", path.display());
    }
}

/// If a program uses a name that a `cfg` removes, the compiler's message quotes this `cfg`. If the `cfg` named an internal
/// feature, users would enable the feature.
#[test]
fn no_public_name_has_the_condition_of_an_internal_feature() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ratelimit-runtime/src/lib.rs");
    let text = fs::read_to_string(library).unwrap();
    for item in text.split(';').filter(|item| item.contains("pub use")) {
        assert!(!item.contains("feature = \"_"), "{item}");
    }
}
