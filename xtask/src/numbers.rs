//! Tests of the numbers in the guide: `numbers.txt` ties each bound that a page states to the code with the same bound.

use crate::documents::{modules, outside_fences, read};
use crate::process::root;
use std::collections::BTreeMap;
use std::fs;

/// If one of these words is in front of a number, the number is a statement, and `numbers.txt` must have it.
const MARKS: [&str; 9] = ["most", "least", "to", "than", "every", "within", "after", "below", "above"];

/// A line of `numbers.txt`.
struct Bound {
    page: &'static str,
    words: &'static str,
    what: &'static str,
}

fn bounds() -> Vec<Bound> {
    let lines = include_str!("numbers.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let bound = |line: &'static str| {
        let (place, what) = line.split_once(" => ")?;
        let (page, words) = place.split_once(": ")?;
        Some(Bound { page, words, what })
    };
    lines.map(|line| bound(line).unwrap_or_else(|| panic!("`{line}` is no line of numbers.txt"))).collect()
}

/// The pages of the guide by their names, each as the texts of its paragraphs, list items and cells.
fn pages() -> BTreeMap<String, Vec<String>> {
    let files = modules().into_iter().filter_map(|(_, files)| files.last().cloned());
    let page = |file: std::path::PathBuf| {
        let name = file.file_stem()?.to_str()?.to_owned();
        Some((name, texts(&fs::read_to_string(root().join(&file)).ok()?)))
    };
    files.filter_map(page).collect()
}

fn texts(page: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    for line in outside_fences(page) {
        let item = line.trim_start();
        let number = item.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_item =
            item.starts_with(['#', '-', '|', '[']) || number.len() < item.len() && number.starts_with(". ");
        if item.is_empty() || is_item {
            texts.push(String::new());
        }
        if let Some(text) = texts.last_mut() {
            text.extend([" ", item]);
        }
    }
    texts.iter().flat_map(|text| text.split('|')).map(|text| text.trim().to_owned()).collect()
}

/// The statements of a text: each number after a mark, with up to two words before the mark and two words after the number.
/// Numbers in code do not count.
fn statements(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let is_mark = |word: &str| MARKS.contains(&word.trim_matches(['(', '*']).to_ascii_lowercase().as_str());
    let is_number =
        |word: &str| word.trim_start_matches(['*', '(']).starts_with(|first: char| first.is_ascii_digit());
    let found = words.windows(2).enumerate().filter(|(_, pair)| is_mark(pair[0]) && is_number(pair[1]));
    found.map(|(at, _)| words[at.saturating_sub(2)..words.len().min(at + 4)].join(" ")).collect()
}

#[test]
fn each_stated_number_is_bound() {
    let bounds = bounds();
    let mut unbound = Vec::new();
    for (page, texts) in pages() {
        let of_page: Vec<_> = bounds.iter().filter(|bound| bound.page == page).collect();
        for text in &texts {
            let is_bound = |statement: &String| {
                let mut candidates =
                    of_page.iter().filter(|bound| bound.words == "*" || text.contains(bound.words));
                candidates.any(|bound| bound.words == "*" || shares_number(bound.words, statement))
            };
            let open = statements(text).into_iter().filter(|statement| !is_bound(statement));
            unbound.extend(open.map(|statement| format!("{page}: {statement}")));
        }
    }
    let unbound = unbound.join("\n");
    assert!(
        unbound.is_empty(),
        "write into xtask/src/numbers.txt which code says so, or that it is an example:\n{unbound}"
    );
}

/// Whether the words contain a number of the statement, so that one entry does not cover all statements of a paragraph.
fn shares_number(words: &str, statement: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let pieces = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
        pieces
            .map(|piece| piece.trim_end_matches('.'))
            .filter(|piece| piece.starts_with(|first: char| first.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let known = numbers(words);
    numbers(statement).iter().any(|number| known.contains(number))
}

#[test]
fn what_numbers_are_bound_to_exists() {
    let pages = pages();
    for Bound { page, words, what } in bounds() {
        let texts = pages.get(page).unwrap_or_else(|| panic!("numbers.txt: no page is `{page}`"));
        assert!(
            words == "*" || texts.iter().any(|text| text.contains(words)),
            "{page} no longer says `{words}`"
        );
        let Some((file, code)) = what.split_once(": ") else {
            assert!(
                ["example", "measured"].contains(&what),
                "`{what}` is no code, and not `example` or `measured`"
            );
            continue;
        };
        let is_elsewhere =
            ["ratelimit-", "tests/", "examples/"].iter().any(|folder| file.starts_with(folder));
        let file = if is_elsewhere { file.to_owned() } else { format!("ratelimit-runtime/src/{file}") };
        assert!(read(&file).contains(code), "{page}: `{words}`: {file} no longer has `{code}`");
    }
}

#[test]
fn statements_are_found_outside_of_code() {
    let text = "It takes at most **3 s**, or up to\n`7` days. See 5 pages.\n\n```text\nat most 9\n```\n| within 20 ms | x |\n";
    let found: Vec<_> = texts(text).iter().flat_map(|text| statements(text)).collect();
    assert_eq!(found, ["takes at most **3 s**, or", "within 20 ms"]);
}
