//! Tests of what the documentation claims: numbers that were measured, and promises that tests show.

use crate::documents::read;
use crate::process::root;
use std::fs;
use std::path::Path;

/// The table of README repeats the medians of the first table with these rows.
#[test]
fn the_numbers_of_the_readme_are_those_of_the_benchmarks() {
    fn cells(row: &str) -> Vec<&str> {
        row.split('|').map(str::trim).collect()
    }
    let (readme, measured) = (read("README.md"), read("benches/README.md"));
    let rows = readme.split_once("## What it costs").unwrap().1.split_once("|---|").unwrap().1;
    let rows: Vec<_> = rows.lines().skip(1).take_while(|line| !line.is_empty()).map(cells).collect();
    assert!(rows.len() > 4, "{rows:?}");
    for row in rows {
        let found = measured
            .lines()
            .map(cells)
            .find(|found| found.len() > 4 && found[1] == row[1] && found[2].ends_with(')'));
        let found = found.unwrap_or_else(|| panic!("no row of the benchmarks is `{}`", row[1]));
        for at in [2, 3] {
            assert_eq!(Some(row[at]), found[at].split_once(" (").map(|(median, _)| median), "{}", row[1]);
        }
    }
}

/// The files below a folder, with their texts.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources.push((path.with_extension("").to_string_lossy().replace('/', "::"), text));
        }
    }
    sources
}

/// Pages name tests as `module::function`, or all tests of `module::module`. Each of their rows needs one.
#[test]
fn the_tests_that_show_promises_exist() {
    let sources = [sources(&root().join("tests")), sources(&root().join("ratelimit-runtime/src"))].concat();
    for (path, least) in [("ratelimit-runtime/docs/promises.md", 30), ("SECURITY.md", 15)] {
        let page = read(path);
        let named: Vec<_> = page.split('`').skip(1).step_by(2).filter(|name| name.contains("::")).collect();
        assert!(named.len() > least, "{path}: {named:?}");
        for name in named {
            let (module, function) = name.rsplit_once("::").unwrap();
            let is_test = |(path, text): &(String, String)| {
                path.contains(&format!("::{module}")) && text.contains(&format!("fn {function}("))
            };
            let is_module = |(path, _): &(String, String)| path.contains(&format!("::{name}"));
            assert!(
                sources.iter().any(|source| is_test(source) || is_module(source)),
                "{path}: no test is `{name}`"
            );
        }
        let mut is_row = false;
        for line in page.lines() {
            if is_row && line.starts_with('|') && !line.starts_with("|---") {
                let shows = line.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
                assert!(shows.contains("::"), "{path}: nothing shows `{line}`");
            }
            is_row = line.ends_with("shown by |") || is_row && line.starts_with('|');
        }
    }
}
