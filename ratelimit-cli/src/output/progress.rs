//! The progress of long work, as one line on standard error if that is a terminal.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// The time between two changes of the line.
const PAUSE: Duration = Duration::from_millis(100);

/// One line that changes while work goes on. It disappears at the end.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
    next: Instant,
    visible: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { shown: false, next: Instant::now(), visible: io::stderr().is_terminal() }
    }

    /// Shows a text, unless another one was shown just now.
    pub(crate) fn show(&mut self, text: impl fmt::Display) {
        let now = Instant::now();
        if !self.visible || now < self.next {
            return;
        }
        self.next = now + PAUSE;
        self.shown = true;
        let mut stderr = io::stderr();
        // Progress that cannot be shown is no failure.
        let _ = write!(stderr, "\r\x1b[2K{text}").and_then(|()| stderr.flush());
    }

    /// Removes the line.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut stderr = io::stderr();
            let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
