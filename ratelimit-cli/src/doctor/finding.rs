//! Findings of the checks, each with advice.

use crate::exit::{Exit, Failure};
use crate::output::{Output, Style, print, print_json, safe};
use ratelimit::store::RedisServer;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// A fact that is useful to know, or a check that was not possible.
    Note,
    Problem,
}

/// A finding. The JSON has the same fields.
#[derive(Debug, Serialize)]
struct Finding {
    level: Level,
    server: Option<String>,
    check: &'static str,
    found: String,
    advice: Option<String>,
}

/// The column at which findings begin.
const INDENT: usize = 11;

/// All findings, in the order of the checks.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    server: Option<String>,
}

impl Findings {
    /// Says that the next findings are about this server.
    pub(crate) fn server(&mut self, server: &RedisServer) {
        self.server = Some(safe(&server.to_string()));
    }

    /// Says that the next findings are about the whole store.
    pub(crate) fn whole_store(&mut self) {
        self.server = None;
    }

    pub(crate) fn good(&mut self, check: &'static str, said: impl Into<String>) {
        self.add(Level::Ok, check, said.into(), None);
    }

    /// Adds a fact that is useful to know.
    pub(crate) fn note(&mut self, check: &'static str, said: impl Into<String>, advice: impl Into<String>) {
        self.add(Level::Note, check, said.into(), Some(advice.into()));
    }

    /// Adds a check that was not possible.
    pub(crate) fn unknown(&mut self, check: &'static str, why: impl Into<String>, advice: impl Into<String>) {
        self.note(check, format!("not checked: {}", why.into()), advice);
    }

    pub(crate) fn problem(
        &mut self,
        check: &'static str,
        said: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add(Level::Problem, check, said.into(), Some(advice.into()));
    }

    /// Adds a problem if a check has ended with a failure. The other checks still run.
    pub(crate) fn ended<T>(&mut self, check: &'static str, checked: Result<T, Failure>) -> Option<T> {
        let failed = |failure: Failure| {
            self.problem(check, format!("not checked: {failure}"), "repair this, and run `doctor` again");
        };
        checked.map_err(failed).ok()
    }

    fn add(&mut self, level: Level, check: &'static str, found: String, advice: Option<String>) {
        self.all.push(Finding { level, server: self.server.clone(), check, found, advice });
    }

    pub(crate) fn has_problem(&self) -> bool {
        self.count(Level::Problem) > 0
    }

    fn count(&self, level: Level) -> usize {
        self.all.iter().filter(|finding| finding.level == level).count()
    }

    pub(crate) fn print(&self, output: Output) -> Result<Exit, Failure> {
        if output.json {
            return print_json(&json!({ "problems": self.count(Level::Problem), "findings": self.all }));
        }
        let mut text = String::new();
        let mut server = None;
        for finding in &self.all {
            if server != Some(&finding.server) {
                let title = finding.server.as_deref().unwrap_or("the whole store");
                let gap = if server.is_none() { "" } else { "\n" };
                let _ = writeln!(text, "{gap}{}", output.paint(title, Style::Bold));
                server = Some(&finding.server);
            }
            let (word, style) = match finding.level {
                Level::Ok => ("ok     ", Style::Good),
                Level::Note => ("note   ", Style::Warning),
                Level::Problem => ("PROBLEM", Style::Bad),
            };
            let said = output.wrap(&format!("{}: {}", finding.check, finding.found), INDENT);
            let _ = writeln!(text, "  {}  {said}", output.paint(word, style));
            if let Some(advice) = &finding.advice {
                let advice = output.paint(output.wrap(advice, INDENT), Style::Dim);
                let _ = writeln!(text, "{:INDENT$}{advice}", "");
            }
        }
        let (problems, notes) = (self.count(Level::Problem), self.count(Level::Note));
        let style = if problems > 0 { Style::Bad } else { Style::Good };
        let plural = |count: usize, noun: &str| crate::output::plural(count as u64, noun);
        let summary = format!("{}, {}", plural(problems, "problem"), plural(notes, "note"));
        let _ = writeln!(text, "\n{}", output.paint(summary, style));
        print(text)
    }
}
