//! Checks that `docs/observability.md` lists each metric and each outcome, and that its lines for a recorder are those of the
//! example.

use ratelimit::observe::METRICS;

#[test]
fn the_documentation_lists_every_metric_with_its_kind_unit_and_labels() {
    let page = include_str!("../../ratelimit-runtime/docs/observability.md");
    let rows = page.lines().filter(|line| line.starts_with("| `ratelimit.") && !line.contains("| meaning |"));
    let rows: Vec<String> = rows
        .map(|row| row.split('|').map(str::trim).skip(1).take(5).collect::<Vec<_>>().join(" | "))
        .collect();
    let expected: Vec<String> = METRICS
        .iter()
        .map(|metric| {
            let kind = format!("{:?}", metric.kind).to_lowercase();
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            let name = metric.name;
            format!("`{name}` | {kind} | `{}` | {} | {}", metric.unit, labels.join(", "), metric.description)
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn the_lines_that_install_a_recorder_are_those_of_the_example() {
    let page = include_str!("../../ratelimit-runtime/docs/observability.md");
    let exporter = include_str!("../../examples/observability/prometheus/exporter.rs");
    let buckets = include_str!("../../examples/observability/buckets.rs");
    let block = page.split_once("```text\n").unwrap().1.split_once("```").unwrap().0;
    // The example calls `buckets::of` instead of this expression, because another example uses the function, too.
    let block =
        block.replace("if metric.unit == \"s\" { &SECONDS } else { &REQUESTS }", "buckets::of(metric)");
    let parts: Vec<&str> = block.split("\n\n").map(str::trim_end).collect();
    assert!(parts.len() == 4 && parts[2..].iter().all(|part| exporter.contains(part)), "{parts:#?}");
    let constants = parts[1].lines();
    assert!(constants.clone().all(|line| buckets.lines().any(|of_file| of_file == line)), "{parts:#?}");
    assert!(buckets.contains("if metric.unit == \"s\" { &SECONDS } else { &REQUESTS }"));
    assert!(constants.count() == 3);
}

#[test]
fn the_documentation_lists_every_outcome() {
    let page = include_str!("../../ratelimit-runtime/docs/observability.md");
    let source = include_str!("../../ratelimit-runtime/src/observe/outcome.rs");
    let labels = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once(" => \"")?.1.split('"').next());
    let labels: Vec<&str> = labels.collect();
    assert_eq!(labels.len(), 14);
    for label in labels {
        assert!(page.contains(&format!("| `{label}` |")), "{label} has no row");
    }
}
