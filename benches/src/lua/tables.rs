//! The tables of the part `lua`: single requests next to other scripts, then batches and merged requests by their size.

use super::load::Space;
use super::ours::SIZES;
use super::subject::{Kind, Subject};
use crate::report::{Better, Bound, Row, Series, Table};

/// Makes all tables. `found` has the figures of each subject's rounds. Omits empty tables.
pub(crate) fn all(subjects: &[Subject], found: &[Vec<f64>], spaces: &[Space]) -> Vec<Table> {
    let series: Vec<Series> = found.iter().map(|figures| figures.iter().copied().collect()).collect();
    let tables = [
        single(subjects, &series, spaces),
        by_decide(subjects, &series),
        by_size("One call, several requests on keys of their own", Kind::Batch, subjects, &series),
        by_size("One call, equal requests on one key", Kind::Merged, subjects, &series),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn single(subjects: &[Subject], series: &[Series], spaces: &[Space]) -> Table {
    let columns = ["server CPU, µs", "bytes per key", "MEMORY USAGE says"];
    let mut table = Table::new("One request per call", &columns).draw(0, Better::Less);
    for (at, subject) in subjects.iter().enumerate().filter(|(_, subject)| subject.kind == Kind::Single) {
        let mut row = Row::new(subject.name.as_str(), subject.is_ours, 0);
        row.figures =
            vec![series[at].clone(), Series::once(spaces[at].total), Series::once(spaces[at].usage)];
        // Puts our row below the row with which it is compared.
        let beside =
            subject.goal.and_then(|goal| table.rows.iter().position(|row| row.subject == goal.beside));
        table.rows.insert(beside.map_or(table.rows.len(), |beside| beside + 1), row);
    }
    for subject in subjects {
        if let Some(goal) = subject.goal {
            table.goal(&subject.name, goal.beside, 0, Bound::AtMost(goal.ratio));
        }
    }
    table
}

fn by_decide(subjects: &[Subject], series: &[Series]) -> Table {
    let mut table =
        Table::new("The same by the script of batches", &["server CPU, µs"]).draw(0, Better::Less);
    for (subject, series) in subjects.iter().zip(series).filter(|(subject, _)| subject.kind == Kind::ByDecide)
    {
        let mut row = Row::new(subject.name.as_str(), true, 0);
        row.figures = vec![series.clone()];
        table.rows.push(row);
    }
    table
}

fn by_size(title: &str, kind: Kind, subjects: &[Subject], series: &[Series]) -> Table {
    let sizes = SIZES.map(|size| format!("{size} requests, µs each"));
    let mut table = Table::new(title, &sizes.each_ref().map(String::as_str));
    let all: Vec<_> = subjects.iter().zip(series).filter(|(subject, _)| subject.kind == kind).collect();
    for of_one_limit in all.chunks(SIZES.len()) {
        let mut row = Row::new(of_one_limit[0].0.name.as_str(), true, 0);
        row.figures = of_one_limit.iter().map(|(_, series)| (*series).clone()).collect();
        table.rows.push(row);
    }
    table
}
