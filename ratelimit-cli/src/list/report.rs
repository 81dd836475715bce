//! Prints what `list` has found.

use super::aggregate::{Aggregate, Entry, Row};
use crate::exit::{Exit, Failure};
use crate::limits::{Limits, Numbers, refuses_every_call};
use crate::output::{
    Align, Output, Style, Table, bar, duration, number, plural, print, print_json, safe, wrapped,
};
use crate::scan::Ttl;
use serde_json::{Value, json};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// The width of a bar.
const BAR: usize = 20;

pub(super) fn report(
    aggregate: &Aggregate,
    limits: &Limits,
    complete: bool,
    output: Output,
) -> Result<Exit, Failure> {
    if output.json {
        let rows: Vec<Value> = aggregate.rows().map(|row| row_as_json(row, limits)).collect();
        return print_json(&json!({
            "partial": !complete,
            "keys": aggregate.keys(),
            "limits": rows,
            "keys_of_other_names": aggregate.others,
            "foreign_keys": aggregate.foreign,
        }));
    }
    let mut text = String::new();
    if aggregate.rows().next().is_none() {
        text.push_str("no live keys\n");
    } else {
        text.push_str(&summary(aggregate, output));
        for row in aggregate.rows() {
            text.push_str(&details(row, limits, output));
        }
    }
    text.push_str(&unknown(aggregate, limits, output));
    if aggregate.others > 0 {
        let _ = writeln!(text, "\n{} of further names are not listed", plural(aggregate.others, "key"));
    }
    if aggregate.foreign > 0 {
        let foreign = plural(aggregate.foreign, "key");
        let _ =
            writeln!(text, "\n{foreign} under the prefix that no limit has written; see `ratelimit doctor`");
    }
    if !complete {
        text.push_str(&output.paint("\npartial: not all keys were read\n", Style::Warning));
    }
    print(text)
}

/// One line for each name.
fn summary(aggregate: &Aggregate, output: Output) -> String {
    let mut table = Table::new(&[
        ("NAME", Align::Left),
        ("ALGORITHM", Align::Left),
        ("KEYS", Align::Right),
        ("UNITS", Align::Right),
        ("AT LIMIT", Align::Right),
        ("LONGEST TTL", Align::Right),
    ]);
    for row in aggregate.rows() {
        let at_limit = if row.known == 0 { "?".to_owned() } else { number(row.at_limit) };
        let style = if row.at_limit > 0 { Style::Warning } else { Style::Plain };
        let (ttl, ttl_style) = match row.without_ttl {
            0 => (duration(row.longest_ttl), Style::Plain),
            _ => ("never".to_owned(), Style::Bad),
        };
        table.styled_row([
            (safe(row.example.name()), Style::Bold),
            (algorithm(row), Style::Plain),
            (number(row.keys), Style::Plain),
            (row.units.map_or_else(|| "?".to_owned(), number), Style::Plain),
            (at_limit, style),
            (ttl, ttl_style),
        ]);
    }
    table.fit(0, output);
    table.render(output)
}

/// How to pass the numbers of a limit, if those of some limit are unknown.
fn unknown(aggregate: &Aggregate, limits: &Limits, output: Output) -> String {
    let is_unknown = |row: &&Row| {
        let numbers = row.example.algorithm().map(|algorithm| limits.of_name(row.example.name(), algorithm));
        matches!(numbers, Some(Numbers::OnlyUnits(_) | Numbers::Unknown))
    };
    let Some(row) = aggregate.rows().find(is_unknown) else { return String::new() };
    let example = format!("{}={} count=100 time=1m", safe(row.example.name()), algorithm(row));
    let text = format!(
        "Redis does not store the numbers of limits. Pass them to see what is left, such as --limit \"{example}\""
    );
    format!("\n{}\n", output.paint(wrapped(&text, 0, output.columns), Style::Dim))
}

fn algorithm(row: &Row) -> String {
    let old = || format!("format {}", safe(row.example.format()));
    row.example.algorithm().map_or_else(old, |algorithm| algorithm.as_str().to_owned())
}

/// The largest keys of a name.
fn details(row: &Row, limits: &Limits, output: Output) -> String {
    let largest = row.largest();
    if largest.is_empty() {
        return String::new();
    }
    let columns = [Align::Left, Align::Left, Align::Left, Align::Right, Align::Left].map(|align| ("", align));
    let has_bars = largest.iter().any(|entry| entry.usage.share().is_some());
    let mut table = Table::new(if has_bars { &columns } else { &columns[1..] });
    for entry in &largest {
        let style = if entry.usage.is_at_limit() { Style::Bad } else { Style::Good };
        let bar = entry.usage.share().map(|share| bar(share, BAR, output.unicode)).unwrap_or_default();
        let mut cells = vec![
            (" ".to_owned(), Style::Plain),
            (entry.identity.clone(), Style::Plain),
            (entry.usage.words(), Style::Plain),
            (remaining_time(entry), Style::Dim),
        ];
        if has_bars {
            cells.insert(2, (bar, style));
        }
        table.cells(cells);
    }
    table.fit(1, output);
    let rendered = table.render(output);
    // The head is empty.
    let rows = rendered.split_once('\n').map_or("", |(_, rows)| rows);
    format!("\n{}\n{rows}", title(row, limits, output))
}

fn title(row: &Row, limits: &Limits, output: Output) -> String {
    let name = safe(row.example.name());
    let known = row.example.algorithm().map(|algorithm| limits.of_name(row.example.name(), algorithm));
    let mut numbers = match known {
        Some(Numbers::Known(limit)) => limit.to_string(),
        Some(Numbers::OnlyUnits(_) | Numbers::Unknown) => "numbers unknown".to_owned(),
        None => "written by another version of the library".to_owned(),
    };
    if let Some(change) = limits.change_of_name(row.example.name()) {
        let closed = if refuses_every_call(change) { ", refuses every call" } else { "" };
        let _ = write!(numbers, " (override: {change}{closed})");
    }
    let is_wide = output.columns.is_some_and(|columns| name.width() + 2 + numbers.width() > columns);
    let gap = if is_wide { "\n   " } else { "  " };
    format!("{}{gap}{}", output.paint(name, Style::Bold), output.paint(numbers, Style::Dim))
}

fn remaining_time(entry: &Entry) -> String {
    match (entry.usage.known, entry.ttl) {
        (Some(known), _) => known.words(),
        (None, Ttl::In(ttl)) => format!("TTL {}", duration(ttl)),
        (None, Ttl::Never) => "never expires".to_owned(),
    }
}

fn row_as_json(row: &Row, limits: &Limits) -> Value {
    let algorithm = row.example.algorithm();
    let limit = match algorithm.map(|algorithm| limits.of_name(row.example.name(), algorithm)) {
        Some(Numbers::Known(limit)) => Some(limit.to_string()),
        _ => None,
    };
    let largest: Vec<Value> = row.largest().iter().map(entry_as_json).collect();
    json!({
        "name": row.example.name(),
        "algorithm": algorithm.map(ratelimit::Algorithm::as_str),
        "format": row.example.format(),
        "limit": limit,
        "override": limits.change_of_name(row.example.name()).map(ToString::to_string),
        "keys": row.keys,
        "units": row.units,
        "at_limit": (row.known > 0).then_some(row.at_limit),
        "longest_ttl_ms": milliseconds(row.longest_ttl),
        "keys_without_ttl": row.without_ttl,
        "largest": largest,
    })
}

fn entry_as_json(entry: &Entry) -> Value {
    json!({
        "identity": entry.identity,
        "used": entry.usage.used,
        "capacity": entry.usage.known.map(|known| known.limit.capacity()),
        "allowed": entry.usage.known.map(|known| known.allowed),
        "reset_after_ms": entry.usage.known.map(|known| milliseconds(known.reset_after)),
        "ttl_ms": match entry.ttl {
            Ttl::In(ttl) => Some(milliseconds(ttl)),
            Ttl::Never => None,
        },
    })
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
