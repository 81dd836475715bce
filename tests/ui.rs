//! What the compiler says to the users of the attribute. `TRYBUILD=overwrite` writes it anew: then read it.

use std::fs;
use std::path::Path;

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}

/// `ui/body` has each file twice: `x.rs` with the attribute, and `x_plain.rs` with another one in its place.
#[test]
fn a_wrong_body_gets_the_words_that_it_gets_without_the_attribute() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/body");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let topics = ["types", "types_judged", "borrows", "half_typed", "warnings"];
    for topic in topics {
        let code = read(&format!("{topic}_plain.rs"));
        assert!(!code.contains("rate_limit("), "{topic}_plain.rs has the attribute");
        let plain = read(&format!("{topic}_plain.stderr"));
        assert_eq!(read(&format!("{topic}.stderr")), plain.replace("_plain.rs", ".rs"));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4 * topics.len());
}
