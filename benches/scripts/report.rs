//! The tables: one request per call beside the others, then batches and merged requests by their size.

use crate::load::Space;
use crate::ours::SIZES;
use crate::subject::{Kind, Subject};
use crate::table::Row;

pub(crate) fn print(subjects: &[Subject], rows: &[Row], spaces: &[Space]) {
    println!(
        "\n  {:<28} {:>7} {:>14} {:>7} {:>6} {:>11} {:>13}",
        "one request per call", "us", "(spread)", "ratio", "goal", "bytes/key", "MEMORY USAGE"
    );
    for ((subject, row), space) in subjects.iter().zip(rows).zip(spaces) {
        if subject.kind == Kind::Lone {
            let compared = compare(subject, row, rows);
            println!(
                "  {:<28} {:>7.2} {:>14} {compared} {:>11.0} {:>13.0}",
                row.subject,
                row.median(),
                spread(row),
                space.total,
                space.usage,
            );
        }
    }
    by_size("requests per call, each of its own key", Kind::Batch, subjects, rows);
    by_size("equal requests on one key per call", Kind::Merged, subjects, rows);
}

/// The median of the rounds' ratios, and what it should be.
fn compare(subject: &Subject, row: &Row, rows: &[Row]) -> String {
    let Some(goal) = subject.goal else {
        return format!("{:>7} {:>6}", "", "");
    };
    let other = rows.iter().find(|other| other.subject == goal.beside);
    let mut ratio = Row::new("ratio");
    for (ours, theirs) in row.figures.iter().zip(other.iter().flat_map(|other| &other.figures)) {
        ratio.figures.push(ours / theirs);
    }
    format!("{:>7.2} {:>6.2}", ratio.median(), goal.ratio)
}

fn by_size(title: &str, kind: Kind, subjects: &[Subject], rows: &[Row]) {
    let sizes: Vec<String> = SIZES.iter().map(|size| format!("{size:>20}")).collect();
    println!("\n  {title:<40}{}", sizes.concat());
    let all: Vec<_> = subjects.iter().zip(rows).filter(|(subject, _)| subject.kind == kind).collect();
    for of_one_limit in all.chunks(SIZES.len()) {
        let cells: Vec<String> = of_one_limit
            .iter()
            .map(|(_, row)| format!("{:>20}", format!("{:.2} {}", row.median(), spread(row))))
            .collect();
        println!("  {:<40}{}", of_one_limit[0].0.name, cells.concat());
    }
}

fn spread(row: &Row) -> String {
    let (low, high) = row.spread();
    format!("({low:.2}-{high:.2})")
}
