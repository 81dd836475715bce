//! Tests of `ARCHITECTURE.md`: it is short enough to be read at once, and each of its paths exists. The reference of the attribute
//! stays short, too.

use crate::documents::read;
use crate::process::root;

const PAGE: &str = "ARCHITECTURE.md";

/// The folders to which a path may be relative.
const FOLDERS: [&str; 3] = ["ratelimit-runtime/src/", "", "ratelimit-runtime/"];

/// The paths in a text: the words in code that have a slash, or end with the name of a file. A path without an ending is a module.
fn paths(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let letters =
        |word: &str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
    let is_path =
        |word: &&str| word.contains('/') || [".md", ".rs"].iter().any(|ending| word.ends_with(ending));
    code.filter(is_path).filter(|word| letters(word)).collect()
}

fn exists(path: &str) -> bool {
    let named = FOLDERS.iter().flat_map(|folder| ["", ".rs"].map(|ending| format!("{folder}{path}{ending}")));
    named.into_iter().any(|path| root().join(path).exists())
}

#[test]
fn the_pages_have_few_words() {
    for (page, most, elsewhere) in [
        (PAGE, 1800, "the first lines of the module that it is about"),
        ("ratelimit-runtime/src/rate_limit.md", 5000, "the guide"),
    ] {
        let words = read(page).split_whitespace().count();
        assert!(words <= most, "{page} has {words} words, more than {most}: write it into {elsewhere}");
    }
}

#[test]
fn each_path_exists() {
    let text = read(PAGE);
    let paths = paths(&text);
    assert!(paths.len() > 50, "{paths:?}");
    for path in paths {
        assert!(exists(path), "{PAGE}: `{path}` does not exist");
    }
}

#[test]
fn paths_are_found_in_code() {
    assert_eq!(paths("a/b `c/d`, `Store::e` and `f.md`, `g h/i`"), ["c/d", "f.md"]);
}
