//! Tests of `llms.txt`: the index of the guide for programs that read it. It is made of the list of the guide in rustdoc.

use crate::documents::{GUIDE, PUBLISHED, read};
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

/// Pages beside the guide.
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

/// The pages in the list of the guide: their titles and what they say.
fn listed(guide: &str) -> Vec<(&str, &str)> {
    let lines = guide.lines().filter_map(|line| line.strip_prefix("//! - ["));
    lines.filter_map(|line| line.split_once("]: ")).collect()
}

fn index() -> String {
    let (guide, links) = (read(GUIDE), read("ratelimit-runtime/src/docs/links.md"));
    let module = |title: &str| {
        let start = format!("[{title}]: crate::docs::");
        links.lines().find_map(|line| line.strip_prefix(start.as_str())).map(str::to_owned)
    };
    let mut text = HEAD.to_owned();
    for (title, path, says) in REFERENCE {
        text.extend(["- [", title, "](", PUBLISHED, path, "): ", says, "\n"]);
    }
    text += "\n## Guide\n";
    for (title, says) in listed(&guide) {
        let module = module(title).unwrap_or_else(|| panic!("links.md does not define `{title}`"));
        text.extend(["- [", title, "](", PUBLISHED, "docs/", &module, "/): ", says, "\n"]);
    }
    text
}

/// `UPDATE_EXPECT=1` writes the index.
#[test]
fn the_index_has_every_page_of_the_guide() {
    let expected = index();
    for (module, _) in crate::documents::modules() {
        assert!(expected.contains(&format!("/docs/{module}/)")), "the list in {GUIDE} lacks `{module}`");
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(INDEX), &expected).unwrap();
    }
    let found = fs::read_to_string(root().join(INDEX)).unwrap_or_default();
    assert!(found == expected, "{INDEX} differs from {GUIDE}: run `UPDATE_EXPECT=1 cargo test -p xtask`");
}
