//! Tests the guide's page *Migration*. Its code compiles with the other crates, and the code before and after a migration
//! admits the same calls. Each code block on the page is a part of one of these files.

#![expect(
    clippy::expect_used,
    clippy::unused_async,
    clippy::unwrap_used,
    reason = "test code, and code as it is on the page"
)]

mod actix_limitation;
mod by_hand;
mod governor;
#[cfg(peers)]
mod limitador;
mod tower_governor;
mod traps;

use std::future::Future;

const PAGE: &str = include_str!("../../ratelimit-runtime/docs/migration.md");
const SOURCES: [&str; 5] = [
    include_str!("tower_governor.rs"),
    include_str!("governor.rs"),
    include_str!("actix_limitation.rs"),
    include_str!("limitador.rs"),
    include_str!("by_hand.rs"),
];

/// Makes seven calls. Returns which of them pass.
async fn seven<F: Future<Output = bool>>(mut call: impl FnMut() -> F) -> [bool; 7] {
    let mut passed = [false; 7];
    for call_passed in &mut passed {
        *call_passed = call().await;
    }
    passed
}

/// The result of seven calls of which only the first five pass.
const FIVE: [bool; 7] = [true, true, true, true, true, false, false];

#[test]
fn the_code_of_the_page_is_tested_here() {
    // The page may break lines at other places.
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    let sources = SOURCES.map(|source| without_spaces(&source.replace("pub(super) ", "")));
    let mut blocks = PAGE.split("\n```").skip(1).step_by(2).filter_map(|block| {
        let (language, code) = block.split_once('\n')?;
        language.starts_with("rust").then_some(code)
    });
    let mut count = 0;
    for code in &mut blocks {
        count += 1;
        // Leaves out the lines that rustdoc hides. They only complete the code of the page, so that it compiles.
        let shown: Vec<_> = code.lines().filter(|line| !line.starts_with("# ") && *line != "#").collect();
        let code = without_spaces(&shown.join(" "));
        assert!(
            sources.iter().any(|source| source.contains(&code)),
            "no test has this code:\n{}",
            shown.join("\n")
        );
    }
    assert!(count >= 9, "{count} pieces of code: before and after for each crate");
}

/// Each row of the traps names its test.
#[test]
fn the_tests_of_the_traps_exist() {
    let (_, page) = PAGE.split_once("## Five traps").unwrap();
    let rows = page.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.ends_with("` |"));
    let named: Vec<_> = rows.filter_map(|row| row.trim_end_matches("` |").rsplit('`').next()).collect();
    assert_eq!(named.len(), 5, "{named:?}");
    for test in named {
        assert!(include_str!("traps.rs").contains(&format!("async fn {test}(")), "no test is `{test}`");
    }
}
