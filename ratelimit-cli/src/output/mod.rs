//! What commands print: JSON or text, with colors on a terminal.

mod bar;
mod progress;
mod shorten;
mod show;
mod stream;
mod table;
mod wrap;

pub(crate) use bar::bar;
pub(crate) use progress::Progress;
pub(crate) use shorten::{named, shortened};
pub(crate) use show::{duration, identity, number, plural, safe, share, short};
pub(crate) use stream::{note, print, print_json, print_json_line, write};
pub(crate) use table::{Align, Table};
pub(crate) use wrap::wrapped;

use crate::arguments::{Global, When};
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};

/// Where output goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    stdout: Paint,
    stderr: Paint,
    /// Whether the terminal shows characters outside of ASCII.
    pub(crate) unicode: bool,
    /// The width of standard output, if it is a terminal.
    pub(crate) columns: Option<usize>,
}

/// Whether a stream has colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Colors,
    NoColors,
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
        let simple = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colors = |terminal: bool| match global.color {
            When::Always => Paint::Colors,
            When::Auto if terminal && allowed && !simple => Paint::Colors,
            When::Auto | When::Never => Paint::NoColors,
        };
        Self {
            json: global.json,
            stdout: colors(io::stdout().is_terminal()),
            stderr: colors(io::stderr().is_terminal()),
            unicode: is_unicode(),
            columns: columns(io::stdout()),
        }
    }

    /// Text without colors.
    pub(crate) const fn plain() -> Self {
        Self { json: false, stdout: Paint::NoColors, stderr: Paint::NoColors, unicode: false, columns: None }
    }

    /// A word with a look for standard error, if it has colors.
    fn paint_error(self, text: &str, style: Style) -> String {
        if self.stderr == Paint::Colors { styled(text, style) } else { text.to_owned() }
    }

    /// Prints why the command has failed, or what is wrong with its input. Long messages are broken between words.
    pub(crate) fn error(self, failure: impl fmt::Display) {
        const INDENT: usize = "error: ".len();
        let word = self.paint_error("error", Style::Bad);
        let columns = columns(io::stderr());
        let lines: Vec<String> =
            failure.to_string().lines().map(|line| wrapped(line, INDENT, columns)).collect();
        // Nobody is left to read about a closed standard error.
        let _ = writeln!(io::stderr(), "{word}: {}", lines.join("\n"));
    }

    /// Whether standard output has colors.
    pub(crate) fn has_colors(self) -> bool {
        self.stdout == Paint::Colors
    }

    /// A word with a look, if there are colors.
    pub(crate) fn paint(self, text: impl fmt::Display, style: Style) -> String {
        if self.stdout == Paint::Colors { styled(&text.to_string(), style) } else { text.to_string() }
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

/// The width of a stream, if it is a terminal.
#[cfg(unix)]
fn columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = terminal_size::terminal_size_of(stream)?;
    Some(usize::from(size.0.0))
}

#[cfg(windows)]
fn columns(stream: impl std::os::windows::io::AsHandle) -> Option<usize> {
    let size = terminal_size::terminal_size_of(stream)?;
    Some(usize::from(size.0.0))
}

/// Whether the locale is one of UTF-8. Without a locale, it is assumed.
fn is_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
    let locale =
        set.map(|value| value.to_string_lossy().to_ascii_lowercase()).find(|value| !value.is_empty());
    locale.is_none_or(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}
