//! Compiler messages that users of the attribute see. `TRYBUILD=overwrite` accepts changes; read the diff.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("*/*.rs");
}

/// The compiler quotes the standard library only if its sources are installed.
#[test]
fn no_expected_message_quotes_the_standard_library() {
    let files = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let topics = files(env!("CARGO_MANIFEST_DIR").into()).filter(|path| path.is_dir());
    for path in topics.flat_map(files).filter(|path| path.extension().is_some_and(|end| end == "stderr")) {
        let quotes = fs::read_to_string(&path).unwrap().contains("--> $RUST");
        assert!(!quotes, "{}: choose a mistake whose message does not", path.display());
    }
}

/// `body` has each case twice: `x.rs` with the attribute, and `x_plain.rs` with another attribute in its place.
#[test]
fn a_wrong_body_gets_the_words_that_it_gets_without_the_attribute() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("body");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let topics = ["types", "types_judged", "borrows", "half_typed", "warnings", "futures"];
    for topic in topics {
        let code = read(&format!("{topic}_plain.rs"));
        assert!(!code.contains("rate_limit("), "{topic}_plain.rs has the attribute");
        let plain = read(&format!("{topic}_plain.stderr"));
        assert_eq!(read(&format!("{topic}.stderr")), plain.replace("_plain.rs", ".rs"));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4 * topics.len());
}

/// The compiler quotes the condition of an item that does not exist, so users would enable an internal feature.
#[test]
fn no_public_name_has_the_condition_of_an_internal_feature() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ratelimit-runtime/src/lib.rs");
    let text = fs::read_to_string(library).unwrap();
    for item in text.split(';').filter(|item| item.contains("pub use")) {
        assert!(!item.contains("feature = \"_"), "{item}");
    }
}
