//! Lines of a reader, of limited length, so that a file without line ends does not fill the memory.

use crate::simulate::numbers::count;
use std::io::{self, BufRead, Read};

/// The longest line, in bytes.
const LONGEST: u64 = 64 * 1024;

/// The most bytes of a longer line that are skipped. A device without an end has such a line.
const MOST_SKIPPED: u64 = 1024 * 1024 * 1024;

pub(super) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

/// A line.
pub(super) enum Next<'l> {
    Line(&'l [u8]),
    /// A line that is too long. It was skipped.
    TooLong,
    End,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        let read = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Next::End);
        }
        if self.line.last() == Some(&b'\n') {
            return Ok(Next::Line(self.line.trim_ascii_end()));
        }
        if count(read) < LONGEST {
            return Ok(Next::Line(&self.line)); // the last line has no end
        }
        let skipped = self.reader.by_ref().take(MOST_SKIPPED).skip_until(b'\n')?;
        if count(skipped) == MOST_SKIPPED {
            return Err(io::Error::other("it has a line of more than 1 GiB"));
        }
        Ok(Next::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_an_error() {
        let mut lines = Lines::new(io::BufReader::new(io::repeat(b'x')));
        let error = lines.next().err().unwrap();
        assert_eq!(error.to_string(), "it has a line of more than 1 GiB");
    }

    #[test]
    fn a_long_line_is_skipped_to_its_end() {
        let text = format!("one\r\n{}\n\ntwo", "x".repeat(20 << 20));
        let mut lines = Lines::new(text.as_bytes());
        let mut found = Vec::new();
        loop {
            match lines.next().unwrap() {
                Next::Line(line) => found.push(String::from_utf8(line.to_vec()).unwrap()),
                Next::TooLong => found.push("too long".to_owned()),
                Next::End => break,
            }
        }
        assert_eq!(found, ["one", "too long", "", "two"]);
    }
}
