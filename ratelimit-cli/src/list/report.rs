//! Prints what `list` has found.

use super::aggregate::{Aggregate, Entry, Row};
use super::json::as_json;
use crate::exit::{Exit, Failure};
use crate::limits::{Limits, Numbers, refuses_every_call};
use crate::output::{
    Align, Output, Style, Table, bar, duration, named, number, plural, print, print_json, safe, wrapped,
};
use crate::scan::Ttl;
use ratelimit::store::StoredKey;
use ratelimit::{LimitChange, MetLimit};
use std::fmt::Write as _;
use std::time::Duration;
use unicode_width::UnicodeWidthStr as _;

/// The width of a bar.
const BAR: usize = 20;

pub(super) fn report(
    aggregate: &Aggregate,
    idle: &[&str],
    limits: &Limits,
    complete: bool,
    output: Output,
) -> Result<Exit, Failure> {
    if output.json {
        return print_json(&as_json(aggregate, idle, limits, complete));
    }
    let mut text = String::new();
    if aggregate.rows().next().is_none() {
        text.push_str("no live keys\n");
    } else {
        text.push_str(&summary(aggregate, output));
        for row in aggregate.rows() {
            text.push_str(&details(row, aggregate, limits, output));
        }
    }
    if !idle.is_empty() {
        text.push_str(&without_keys(idle, limits, output));
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
            (named(row.example.name(), output), Style::Bold),
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

/// Limits that exist, of which nothing is in use.
fn without_keys(idle: &[&str], limits: &Limits, output: Output) -> String {
    let mut table = Table::new(&[("WITHOUT KEYS", Align::Left), ("", Align::Left)]);
    for name in idle {
        table.styled_row([(named(name, output), Style::Bold), (published(name, limits), Style::Dim)]);
    }
    table.fit(0, output);
    format!("\n{}", table.render(output))
}

/// The overrides of single keys of a name.
pub(super) fn of_keys(name: &str, aggregate: &Aggregate, limits: &Limits) -> Vec<(String, String)> {
    let shown = |(key, change): (&StoredKey, &LimitChange)| (aggregate.identity(key), change.to_string());
    let mut all: Vec<_> = limits.of_keys(name).map(shown).collect();
    all.sort();
    all
}

/// The limit of a name as the services publish it, with its override.
fn published(name: &str, limits: &Limits) -> String {
    let Some(met) = limits.published(name) else {
        return limits
            .change_of_name(name)
            .map(|change| format!("only an override: {change}"))
            .unwrap_or_default();
    };
    let varies = if met.varies() { "numbers vary, such as " } else { "" };
    format!("{varies}{}{}{}", met.in_code(), origin(met), overridden(name, limits))
}

/// Which version of a service has a limit, and when that was, if it was not just now.
fn origin(met: &MetLimit) -> String {
    const RECENT: Duration = Duration::from_secs(20 * 60);
    let version = met.service_version().map(|version| format!(", version {}", safe(version)));
    let age =
        Some(met.age()).filter(|age| *age > RECENT).map(|age| format!(", last seen {} ago", duration(age)));
    version.into_iter().chain(age).collect()
}

fn overridden(name: &str, limits: &Limits) -> String {
    let Some(change) = limits.change_of_name(name) else { return String::new() };
    let closed = if refuses_every_call(change) { ", refuses every call" } else { "" };
    format!(" (override: {change}{closed})")
}

/// How to pass the numbers of a limit, if those of some limit are unknown.
fn unknown(aggregate: &Aggregate, limits: &Limits, output: Output) -> String {
    let is_unknown = |row: &&Row| {
        let numbers = row.example.algorithm().map(|algorithm| limits.of_name(row.example.name(), algorithm));
        matches!(numbers, Some(Numbers::OnlyUnits(_) | Numbers::Unknown))
    };
    let Some(row) = aggregate.rows().find(is_unknown) else { return String::new() };
    let example = format!("{}={} count=100 time=1m", named(row.example.name(), output), algorithm(row));
    let text = format!(
        "Redis does not have the numbers of limits that no service has published. Pass them to see what is left, such as --limit \"{example}\""
    );
    format!("\n{}\n", output.paint(wrapped(&text, 0, output.columns), Style::Dim))
}

fn algorithm(row: &Row) -> String {
    let old = || format!("format {}", safe(row.example.format()));
    row.example.algorithm().map_or_else(old, |algorithm| algorithm.as_str().to_owned())
}

/// The largest keys of a name.
fn details(row: &Row, aggregate: &Aggregate, limits: &Limits, output: Output) -> String {
    let mut overrides = String::new();
    for (who, change) in of_keys(row.example.name(), aggregate, limits) {
        let _ = writeln!(overrides, "   override for {who}: {change}");
    }
    let largest = row.largest();
    if largest.is_empty() && overrides.is_empty() {
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
    format!("\n{}\n{overrides}{rows}", title(row, limits, output))
}

fn title(row: &Row, limits: &Limits, output: Output) -> String {
    let name = named(row.example.name(), output);
    let known = row.example.algorithm().map(|algorithm| limits.of_name(row.example.name(), algorithm));
    let met = limits.published(row.example.name());
    let mut numbers = match (known, met) {
        (Some(Numbers::Known(limit)), _) => limit.to_string(),
        (Some(_), Some(met)) if met.varies() => format!("numbers vary, such as {}", met.in_code()),
        (Some(_), _) => "numbers unknown".to_owned(),
        (None, _) => "written by another version of the library".to_owned(),
    };
    numbers.extend(met.map(origin));
    numbers.push_str(&overridden(row.example.name(), limits));
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
