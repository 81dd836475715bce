//! The result of `list`, as text.

use super::aggregate::{Aggregate, Entry, Row};
use crate::limits::{Limits, Numbers, refuses_every_call};
use crate::output::{Align, Output, Style, Table, bar, duration, named, number, plural, safe};
use ratelimit::overrides::{KnownLimit, LimitChange};
use ratelimit::store::StoredKey;
use std::fmt::Write as _;
use std::time::Duration;

/// The width of a bar.
const BAR: usize = 20;

pub(super) struct Found<'f> {
    pub(super) aggregate: &'f Aggregate,
    /// The names of limits without keys.
    pub(super) idle: &'f [&'f str],
    pub(super) limits: &'f Limits,
    /// Whether all keys were read.
    pub(super) complete: bool,
}

impl Found<'_> {
    pub(super) fn as_text(&self, output: Output) -> String {
        let mut text = String::new();
        if self.aggregate.rows().next().is_none() {
            text.push_str("no live keys\n");
        } else {
            text.push_str(&self.summary(output));
            text.extend(self.aggregate.rows().map(|row| self.details(row, output)));
        }
        if !self.idle.is_empty() {
            text.push_str(&self.without_keys(output));
        }
        text.push_str(&self.unknown(output));
        if self.aggregate.others > 0 {
            let others = plural(self.aggregate.others, "key");
            let _ = writeln!(text, "\n{others} of other names are not listed");
        }
        if self.aggregate.foreign > 0 {
            let foreign = plural(self.aggregate.foreign, "key");
            let see = "under the prefix that no limit has written; see `ratelimit doctor`";
            let _ = writeln!(text, "\n{foreign} {see}");
        }
        if !self.complete {
            text.push_str(&output.paint("\npartial: not all keys were read\n", Style::Warning));
        }
        text
    }

    /// One line for each name.
    fn summary(&self, output: Output) -> String {
        let mut table = Table::new([
            ("NAME", Align::Name),
            ("ALGORITHM", Align::Left),
            ("KEYS", Align::Right),
            ("UNITS", Align::Right),
            ("AT LIMIT", Align::Right),
            ("LONGEST TTL", Align::Right),
        ]);
        for row in self.aggregate.rows() {
            let at_limit = if row.known == 0 { "?".to_owned() } else { number(row.at_limit) };
            let style = if row.at_limit > 0 { Style::Warning } else { Style::Plain };
            let ttl = match row.without_ttl {
                0 => (duration(row.longest_ttl), Style::Plain),
                _ => ("never".to_owned(), Style::Bad),
            };
            table.styled_row([
                (named(row.example.name()), Style::Bold),
                (algorithm(row), Style::Plain),
                (number(row.keys), Style::Plain),
                (row.units.map_or_else(|| "?".to_owned(), number), Style::Plain),
                (at_limit, style),
                ttl,
            ]);
        }
        table.render(output)
    }

    /// The limits without keys.
    fn without_keys(&self, output: Output) -> String {
        let mut table = Table::new([("WITHOUT KEYS", Align::Name), ("", Align::Left)]);
        for name in self.idle {
            table.styled_row([(named(name), Style::Bold), (self.published(name), Style::Dim)]);
        }
        format!("\n{}", table.render(output))
    }

    /// The overrides of single keys of a name: identities and changes.
    pub(super) fn of_keys(&self, name: &str) -> Vec<(String, String)> {
        let shown =
            |(key, change): (&StoredKey, &LimitChange)| (self.aggregate.identity(key), change.to_string());
        let mut all: Vec<_> = self.limits.of_keys(name).map(shown).collect();
        all.sort();
        all
    }

    /// The limit of a name as the services publish it, with its override.
    fn published(&self, name: &str) -> String {
        let Some(met) = self.limits.published(name) else {
            let change = self.limits.change_of_name(name);
            return change.map(|change| format!("only an override: {change}")).unwrap_or_default();
        };
        let varies = if met.varies() { "numbers vary, such as " } else { "" };
        format!("{varies}{}{}{}", met.in_code(), origin(met), self.overridden(name))
    }

    fn overridden(&self, name: &str) -> String {
        let Some(change) = self.limits.change_of_name(name) else { return String::new() };
        let closed = if refuses_every_call(change) { ", refuses every call" } else { "" };
        format!(" (override: {change}{closed})")
    }

    /// The numbers of a name. `None` if another version of the library has written its keys.
    pub(super) fn numbers(&self, row: &Row) -> Option<Numbers> {
        row.example.algorithm().map(|algorithm| self.limits.of_name(row.example.name(), algorithm))
    }

    /// Explains how to pass the numbers of a limit, if the numbers of any name are unknown.
    fn unknown(&self, output: Output) -> String {
        let is_unknown =
            |row: &&Row| matches!(self.numbers(row), Some(Numbers::OnlyUnits(_) | Numbers::Unknown));
        let Some(row) = self.aggregate.rows().find(is_unknown) else { return String::new() };
        let example = format!("{}={} count=100 time=1m", named(row.example.name()), algorithm(row));
        let text = format!(
            "Redis does not have the numbers of limits that no service has published. Pass them to see what is left, such as --limit \"{example}\""
        );
        format!("\n{}\n", output.paint(output.wrap(&text, 0), Style::Dim))
    }

    /// The largest keys of a name.
    fn details(&self, row: &Row, output: Output) -> String {
        let mut overrides = String::new();
        for (who, change) in self.of_keys(row.example.name()) {
            let _ = writeln!(overrides, "   override for {who}: {change}");
        }
        let largest = &row.largest;
        if largest.is_empty() && overrides.is_empty() {
            return String::new();
        }
        let columns = [Align::Left, Align::Name, Align::Left, Align::Right, Align::Left];
        let mut table = Table::new(columns.map(|align| ("", align)));
        for entry in largest {
            let style = if entry.usage.is_at_limit() { Style::Bad } else { Style::Good };
            let bar = entry.usage.share().map(|share| bar(share, BAR)).unwrap_or_default();
            table.styled_row([
                (" ".to_owned(), Style::Plain),
                (entry.identity.clone(), Style::Plain),
                (bar, style),
                (entry.usage.words(), Style::Plain),
                (remaining_time(entry), Style::Dim),
            ]);
        }
        format!("\n{}\n{overrides}{}", self.title(row, output), table.render(output))
    }

    fn title(&self, row: &Row, output: Output) -> String {
        let name = named(row.example.name());
        let met = self.limits.published(row.example.name());
        let mut numbers = match (self.numbers(row), met) {
            (Some(Numbers::Known(limit)), _) => limit.to_string(),
            (Some(_), Some(met)) if met.varies() => format!("numbers vary, such as {}", met.in_code()),
            (Some(_), _) => "numbers unknown".to_owned(),
            (None, _) => "written by another version of the library".to_owned(),
        };
        numbers.extend(met.map(origin));
        numbers.push_str(&self.overridden(row.example.name()));
        format!("{}  {}", output.paint(name, Style::Bold), output.paint(numbers, Style::Dim))
    }
}

/// The version of the service that has published a limit, and the age of the published limit if it is not recent.
fn origin(met: &KnownLimit) -> String {
    const RECENT: Duration = Duration::from_secs(20 * 60);
    let version = met.service_version().map(|version| format!(", version {}", safe(version)));
    let age =
        Some(met.age()).filter(|age| *age > RECENT).map(|age| format!(", last seen {} ago", duration(age)));
    version.into_iter().chain(age).collect()
}

fn algorithm(row: &Row) -> String {
    let old = || format!("format {}", safe(row.example.format()));
    row.example.algorithm().map_or_else(old, |algorithm| algorithm.as_str().to_owned())
}

fn remaining_time(entry: &Entry) -> String {
    entry.usage.known.map_or_else(|| entry.ttl.words(), |known| known.words())
}
