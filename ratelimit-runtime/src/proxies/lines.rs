//! `Lines`: the last lines of a header, in constant space.

use super::MOST_ENTRIES;

/// The last lines of one header. Each has at least one entry, so no more lines than entries are walked.
pub(super) struct Lines<'a> {
    last: [&'a [u8]; MOST_ENTRIES],
    count: usize,
}

impl<'a> Lines<'a> {
    pub(super) const fn new() -> Self {
        Self { last: [b""; MOST_ENTRIES], count: 0 }
    }

    pub(super) fn push(&mut self, line: &'a [u8]) {
        self.last[self.count % MOST_ENTRIES] = line;
        self.count += 1;
    }

    /// Returns the line if there is exactly one.
    pub(super) fn only(&self) -> Option<&'a [u8]> {
        (self.count == 1).then(|| self.last[0])
    }

    /// The lines from the last one on.
    pub(super) fn backwards(&self) -> impl Iterator<Item = &'a [u8]> {
        (self.count.saturating_sub(MOST_ENTRIES)..self.count).rev().map(|line| self.last[line % MOST_ENTRIES])
    }
}
