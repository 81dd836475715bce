//! HTML: a self-contained report, readable on phones and desktops, light and dark.

use super::plot::{Layout, plot};
use super::scene::{Ink, hex};
use super::svg::{Colors, escaped, svg};
use crate::simulate::report::{HEADINGS, Report, Trial};
use crate::simulate::shadow::Comparison;

const STYLE: &str = include_str!("report.css");

pub(crate) fn html(report: &Report<'_>) -> String {
    let colors = |color: fn(Ink) -> [u8; 3]| -> String {
        Ink::ALL.map(|ink| format!("--{}:{};", ink.name(), hex(color(ink)))).concat()
    };
    let (light, dark) = (colors(Ink::light), colors(Ink::dark));
    let (wide, narrow) = (
        svg(&plot(report, Layout::WIDE), Colors::OfPage),
        svg(&plot(report, Layout::NARROW), Colors::OfPage),
    );
    let notes = Report::legend().into_iter().chain(report.notes.iter().map(String::as_str));
    let notes = notes.map(|note| format!("<li>{}</li>\n", with_code(note))).collect::<Vec<_>>().concat();
    let compared = match (&report.comparison, &report.trials[..]) {
        (Some(comparison), [now, then, ..]) => compared(comparison, now, then),
        _ => String::new(),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Rate limit simulation</title>\n\
         <style>\n:root{{{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>Rate limit simulation</h1>\n<p class=\"traffic\">Traffic: {traffic}.</p>\n{table}\
         {compared}<figure>\n<div class=\"wide\">{wide}</div>\n<div class=\"narrow\">{narrow}</div>\n</figure>\n\
         <ul class=\"notes\">\n{notes}</ul>\n\
         <footer>ratelimit {version}</footer>\n</main>\n</body>\n</html>\n",
        traffic = escaped(&report.traffic.words),
        table = numbers(report),
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// Escapes a text. What is between backticks becomes code.
fn with_code(text: &str) -> String {
    let pieces = text.split('`').map(escaped).enumerate();
    pieces.map(|(at, piece)| if at % 2 == 1 { format!("<code>{piece}</code>") } else { piece }).collect()
}

/// The table of all limits. On phones each limit is a block, whose cells name their headings.
fn numbers(report: &Report<'_>) -> String {
    let headings = HEADINGS.map(|heading| format!("<th scope=\"col\">{heading}</th>")).concat();
    let rows: String =
        report.trials.iter().enumerate().map(|(at, trial)| row(trial, report.role(at))).collect();
    format!(
        "<table class=\"limits\">\n<thead><tr><th scope=\"col\">limit</th>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn row(trial: &Trial, role: Option<&str>) -> String {
    let cells = HEADINGS.iter().zip(trial.cells());
    let cells = cells
        .map(|(heading, cell)| format!("<td data-label=\"{heading}\">{}</td>", escaped(&cell)))
        .collect::<Vec<_>>()
        .concat();
    let (letter, limit) = (trial.letter, escaped(&trial.limit.to_string()));
    let role = role.map(|role| format!(" ({role})")).unwrap_or_default();
    format!("<tr><th scope=\"row\"><b>{letter}</b> <code>{limit}</code>{role}</th>{cells}</tr>\n")
}

fn compared(comparison: &Comparison, now: &Trial, then: &Trial) -> String {
    let answer = with_code(&comparison.answer(now, then));
    if comparison.hardest_hit.is_empty() {
        return format!("<h2>What if</h2>\n<p>{answer}</p>\n");
    }
    let rows = comparison
        .hardest_hit
        .iter()
        .map(|hit| {
            let name = escaped(&super::terminal::printable(&hit.name));
            let cells = hit.cells().map(|cell| format!("<td>{cell}</td>")).concat();
            format!("<tr><th scope=\"row\"><code>{name}</code></th>{cells}</tr>\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let columns = Comparison::COLUMNS.map(|column| format!("<th scope=\"col\">{column}</th>")).concat();
    format!(
        "<h2>What if</h2>\n<p>{answer}</p>\n<table class=\"hit\">\n<caption>{}</caption>\n\
         <thead><tr>{columns}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n",
        comparison.heading(),
    )
}
