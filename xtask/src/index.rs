//! Tests of `llms.txt`, the index of the guide for programs that read it. The index consists of the titles and the first
//! sentences of the guide's pages.

use crate::documents::{GUIDE, PUBLISHED, modules};
use crate::process::root;
use std::fs;

const INDEX: &str = "llms.txt";

const HEAD: &str = "\
# ratelimit

> Distributed rate limiting for async Rust. The attribute `#[rate_limit(key = \"login\", time = 60, count = 5, by = \"ip\")]` limits a \
function. One atomic Lua script in Redis or Valkey decides for all processes; without Redis, each process decides in its memory. \
Install: `cargo add ratelimit-runtime --features axum`. The library is called `ratelimit`.

In the repository, the Markdown of each page is in `ratelimit-runtime/docs/`, with hyphens in place of underscores.

## Reference
";

/// Pages that are not part of the guide.
const REFERENCE: [(&str, &str, &str); 3] = [
    (
        "The attribute",
        "attr.rate_limit.html",
        "every argument of `#[rate_limit(..)]`, with its types, its bounds and an example",
    ),
    (
        "RateLimiter",
        "struct.RateLimiter.html",
        "the limiter: `check`, `acquire`, `permit`, `charge`, `peek`, and its builder",
    ),
    ("Start", "index.html", "the first page: a limited service with axum, features, requirements"),
];

/// The start of the first sentence of a page. The sentence then says what a reader can do after the page.
const PROMISE: &str = "After this page, you can ";

/// Returns the title of a page, and what its reader can do after it. `None` if the page does not begin with both.
fn title_and_promise(page: &str) -> Option<(String, String)> {
    let (title, text) = page.strip_prefix("# ")?.split_once("\n\n")?;
    let first = text.split("\n\n").next()?.replace('\n', " ");
    let promise = first.strip_prefix(PROMISE)?;
    let sentence = promise.split(". ").next()?.trim_end_matches('.');
    Some((title.to_owned(), sentence.to_owned()))
}

fn index() -> String {
    let mut text = HEAD.to_owned();
    for (title, path, says) in REFERENCE {
        text.extend(["- [", title, "](", PUBLISHED, path, "): ", says, "\n"]);
    }
    text += "\n## Guide\n";
    for (module, files) in modules() {
        let page =
            files.last().and_then(|file| fs::read_to_string(root().join(file)).ok()).unwrap_or_default();
        let found = title_and_promise(&page);
        let (title, says) =
            found.unwrap_or_else(|| panic!("the page of `{module}` begins with no title and promise"));
        text.extend(["- [", &title, "](", PUBLISHED, "docs/", &module, "/): ", &says, "\n"]);
    }
    text
}

/// With `UPDATE_EXPECT=1`, the test writes the index.
#[test]
fn the_index_has_every_page_of_the_guide() {
    let expected = index();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(INDEX), &expected).unwrap();
    }
    let found = fs::read_to_string(root().join(INDEX)).unwrap_or_default();
    assert!(
        found == expected,
        "{INDEX} differs from the pages of {GUIDE}: run `UPDATE_EXPECT=1 cargo test -p xtask`"
    );
}

#[test]
fn a_page_is_described_by_its_first_sentence() {
    let page = "# Leases\n\nAfter this page, you can lease\nunits. More.\n\nText.\n";
    assert_eq!(title_and_promise(page), Some(("Leases".to_owned(), "lease units".to_owned())));
    assert_eq!(title_and_promise("# Leases\n\nThis page says.\n"), None);
}
