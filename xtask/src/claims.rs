//! Tests of claims in the documentation: numbers that were measured, and promises that tests prove.

use crate::documents::read;
use crate::process::root;
use std::fs;
use std::path::Path;

/// A table of Markdown.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads the first table of a text. `None` if the text has no table. The first column of a table has the names of its rows.
    fn first(text: &str) -> Option<Self> {
        let lines =
            text.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        let cells = |line: &str| -> Vec<String> {
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        let mut lines = lines.map(cells);
        let columns = lines.next()?;
        Some(Self { columns, rows: lines.skip(1).collect() })
    }

    fn cell(&self, row: &str, column: &str) -> Option<&str> {
        let at = self.columns.iter().skip(1).position(|found| found == column)? + 1;
        self.rows.iter().find(|cells| cells[0] == row)?.get(at).map(String::as_str)
    }
}

/// Checks the tables that repeat medians of the benchmarks. A comment above each table names the table that it repeats.
#[test]
fn repeated_numbers_are_those_of_the_benchmarks() {
    let measured = read("benches/README.md");
    for (page, least) in [
        ("README.md", 1),
        ("ratelimit-runtime/docs/comparison.md", 7),
        ("ratelimit-runtime/docs/regions.md", 1),
    ] {
        let text = read(page);
        let tables: Vec<_> = text.split("<!-- measured: ").skip(1).collect();
        assert!(tables.len() >= least, "{page} has {} tables of numbers", tables.len());
        for table in tables {
            let (title, rest) = table.split_once(" -->").unwrap();
            let source = measured.split(&format!("### {title}\n")).nth(1);
            let source =
                source.and_then(Table::first).unwrap_or_else(|| panic!("no table `{title}` was measured"));
            let repeated = Table::first(rest).unwrap();
            for row in &repeated.rows {
                for (column, cell) in repeated.columns.iter().zip(row).skip(1) {
                    if column.is_empty() {
                        continue; // a column of bars
                    }
                    let found = source.cell(&row[0], column);
                    let median = found.map(|found| found.split(" (").next().unwrap_or(found));
                    assert_eq!(Some(cell.as_str()), median, "{page}, {title}: {}, {column}", row[0]);
                }
            }
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

/// The pages name a test as `module::function`, or all tests of a module as `module::module`. Each row of their tables of
/// promises needs at least one such name.
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

/// The README states two ratios in words.
#[test]
fn the_ratios_of_the_readme_are_those_of_the_benchmarks() {
    let measured = read("benches/README.md");
    let value = |title: &str, column: &str, row: &str| -> f64 {
        let table = measured.split(&format!("### {title}\n")).nth(1).and_then(Table::first).unwrap();
        table.cell(row, column).unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    let front = |row: &str| value("The front door, one key", "CPU per call, ns", row);
    let governor = front("governor, keyed by an integer");
    let (counter, bucket) = (front("**check, an integer**"), front("**check, an integer, token bucket**"));
    let says = format!(
        "takes {:.1} times as long as governor's for a counter, and {:.1} times for a token bucket",
        counter / governor,
        bucket / governor
    );
    let readme = read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&says), "README.md does not say that a decision {says}");
    let bytes = |row: &str| value("1 000 000 keys", "bytes per key", row);
    let memory = bytes("**MemoryStore, counter**") / bytes("governor, keyed");
    assert!(
        readme.contains("takes a third of governor's memory") && (0.3..0.37).contains(&memory),
        "{memory}"
    );
}

/// The page *Comparison* states what a build costs in words.
#[test]
fn the_build_costs_what_the_benchmarks_say() {
    let measured = read("benches/README.md");
    let table = measured.split("### The build of a service\n").nth(1).and_then(Table::first).unwrap();
    let value = |row: &str, column: &str| table.cell(row, column).unwrap().to_owned();
    let names = [
        "**this library, on memory or Redis**",
        "tower_governor",
        "tower_governor, with its default features",
        "tower_governor, and the crate redis",
        "axum alone",
    ];
    let [ours, theirs, default, redis, alone] = names.map(|name| value(name, "crates"));
    let seconds = names.map(|name| value(name, "CPU, s"));
    let page = read("ratelimit-runtime/docs/comparison.md").split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        format!(
            "builds {ours} crates, among them the crate redis. tower_governor builds {theirs}, or {default}"
        ),
        format!("or {redis} with the crate redis; axum alone builds {alone}."),
        format!("takes {} s of CPU, that of tower_governor {} s", seconds[0], seconds[1]),
        format!("with the crate redis {} s, and that of axum alone {} s.", seconds[3], seconds[4]),
    ] {
        assert!(page.contains(&says), "comparison.md does not say: {says}");
    }
}
