//! The output of commands: JSON or text, with colors on a terminal.

mod print;
mod table;
mod text;

pub(crate) use print::{note, print, print_json, progress, show, write};
pub(crate) use table::{Align, Table};
pub(crate) use text::{bar, duration, identity, milliseconds, named, number, plural, safe, short, shortened};

use crate::exit::{Exit, Failure};
use clap::ColorChoice;
use ratatui::crossterm::{style, terminal};
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

/// When the end of a block and a reset take effect: each process remembers refusals for at most one second.
pub(crate) const REMEMBERED: &str = "running processes may refuse calls for up to one more second\n";

/// The form of the output, and the terminal on which it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    /// Whether standard output has colors. `errors_have_colors` is about standard error.
    pub(crate) has_colors: bool,
    errors_have_colors: bool,
    /// The width of the terminal, if standard output is a terminal.
    pub(crate) columns: Option<usize>,
}

/// The style of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Good,
    Warning,
    Bad,
    Accent,
}

impl Output {
    pub(crate) fn new(json: bool, color: ColorChoice) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let simple = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colors = |is_terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Auto => is_terminal && allowed && !simple,
            ColorChoice::Never => false,
        };
        let output = Self {
            json,
            has_colors: colors(io::stdout().is_terminal()),
            errors_have_colors: colors(io::stderr().is_terminal()),
            columns: columns(io::stdout().is_terminal()),
        };
        // The crate for tables would otherwise decide by itself whether it uses colors.
        style::force_color_output(output.has_colors);
        output
    }

    /// Text without colors.
    pub(crate) const fn plain() -> Self {
        Self { json: false, has_colors: false, errors_have_colors: false, columns: None }
    }

    /// Prints the error of a command. Long messages are broken between words.
    pub(crate) fn error(self, failure: impl fmt::Display) {
        let word = if self.errors_have_colors { styled("error", Style::Bad) } else { "error".to_owned() };
        let stderr = Self { columns: columns(io::stderr().is_terminal()), ..self };
        let text = failure.to_string();
        let lines: Vec<String> = text.lines().map(|line| stderr.wrap(line, "error: ".len())).collect();
        // If standard error is closed, the error cannot be reported.
        let _ = writeln!(io::stderr(), "{word}: {}", lines.join("\n"));
    }

    /// Prints the failure of a command, if there is one. Returns the exit code.
    pub(crate) fn finish(self, ran: Result<Exit, Failure>) -> ExitCode {
        let exit = ran.unwrap_or_else(|failure| {
            self.error(&failure);
            failure.exit()
        });
        exit.into()
    }

    /// Adds the style only if the output has colors.
    pub(crate) fn paint(self, text: impl fmt::Display, style: Style) -> String {
        if self.has_colors { styled(&text.to_string(), style) } else { text.to_string() }
    }

    /// Breaks a text that begins at the column `indent` between words, so that it fits the terminal. All lines begin at this
    /// column. A word that is too long gets a separate line.
    pub(crate) fn wrap(self, text: &str, indent: usize) -> String {
        let Some(columns) = self.columns else { return text.to_owned() };
        let options = textwrap::Options::new(columns.saturating_sub(indent).max(1))
            .break_words(false)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::wrap(text, options).join(&format!("\n{:indent$}", ""))
    }
}

fn styled(text: &str, style: Style) -> String {
    let code = match style {
        Style::Plain => return text.to_owned(),
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Good => "32",
        Style::Warning => "33",
        Style::Bad => "1;31",
        Style::Accent => "94",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// The width of the terminal, if the stream is a terminal.
fn columns(is_terminal: bool) -> Option<usize> {
    let (columns, _) = terminal::size().ok().filter(|_| is_terminal)?;
    Some(usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::Output;

    #[test]
    fn lines_break_between_words() {
        let wrapped = |text, indent, columns| Output { columns, ..Output::plain() }.wrap(text, indent);
        assert_eq!(wrapped("one two three", 2, Some(9)), "one two\n  three");
        assert_eq!(wrapped("one two three", 2, Some(15)), "one two three");
        assert_eq!(wrapped("one two three", 2, None), "one two three");
        assert_eq!(wrapped("longer_than_a_line a b", 4, Some(8)), "longer_than_a_line\n    a b");
    }
}
