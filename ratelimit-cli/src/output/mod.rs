//! What commands print: JSON or text, with colors on a terminal.

mod bar;
mod progress;
mod show;
mod table;

pub(crate) use bar::bar;
pub(crate) use progress::Progress;
pub(crate) use show::{duration, identity, number, plural, safe, share, short};
pub(crate) use table::{Align, Table};

use crate::arguments::{Global, When};
use crate::exit::{Exit, Failure};
use serde_json::Value;
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};

/// Where output goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    colors: bool,
    colors_of_errors: bool,
    /// Whether the terminal shows characters outside of ASCII.
    pub(crate) unicode: bool,
}

/// The look of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Good,
    Warning,
    Bad,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let colors = |terminal: bool| match global.color {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && allowed && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        };
        Self {
            json: global.json,
            colors: colors(io::stdout().is_terminal()) && !global.json,
            colors_of_errors: colors(io::stderr().is_terminal()),
            unicode: is_unicode(),
        }
    }

    /// Prints a value as JSON.
    pub(crate) fn json(self, value: &Value) -> Result<Exit, Failure> {
        self.write(format!("{value:#}\n").as_bytes())
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json_line(self, value: &Value) -> Result<Exit, Failure> {
        self.write(format!("{value}\n").as_bytes())
    }

    /// Prints text.
    pub(crate) fn print(self, text: impl fmt::Display) -> Result<Exit, Failure> {
        self.write(text.to_string().as_bytes())
    }

    /// Writes to standard output. A reader that has seen enough is no failure.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<Exit, Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            Ok(()) | Err(_) => Ok(Exit::Success),
        }
    }

    /// Prints why the command has failed.
    pub(crate) fn error(self, failure: &Failure) {
        let word = if self.colors_of_errors { styled("error", Style::Bad) } else { "error".to_owned() };
        // Nobody is left to read about a closed standard error.
        let _ = writeln!(io::stderr(), "{word}: {failure}");
    }

    /// Prints a remark that is not part of the output.
    pub(crate) fn note(self, text: impl fmt::Display) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Whether standard output has colors.
    pub(crate) const fn has_colors(self) -> bool {
        self.colors
    }

    /// A word with a look, if there are colors.
    pub(crate) fn paint(self, text: impl fmt::Display, style: Style) -> String {
        if self.colors { styled(&text.to_string(), style) } else { text.to_string() }
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
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Whether the locale is one of UTF-8. Without a locale, it is assumed.
fn is_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
    let locale =
        set.map(|value| value.to_string_lossy().to_ascii_lowercase()).find(|value| !value.is_empty());
    locale.is_none_or(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}
