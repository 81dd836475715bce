//! Counts of the lines of a log, and the sentences about them.

use super::line::Broken;

#[derive(Default)]
pub(super) struct Counts {
    /// Whether the log is a table.
    pub(super) is_table: bool,
    /// The number of lines that are not empty.
    pub(super) lines: u64,
    /// The number of broken lines, and the line number and the mistake of the first broken line.
    broken: u64,
    first_broken: Option<(u64, Broken)>,
    pub(super) elsewhere: u64,
    pub(super) other_status: u64,
    pub(super) unidentified: u64,
    /// The number of lines whose time is earlier than that of a line before them, and the largest difference in seconds.
    pub(super) backwards: u64,
    pub(super) largest_step: i64,
    pub(super) other_years: usize,
    /// Whether any row has several calls, which were spread over the seconds of the row.
    pub(super) is_spread: bool,
}

impl Counts {
    pub(super) fn break_at(&mut self, number: u64, broken: Broken) {
        self.lines += 1;
        self.broken += 1;
        self.first_broken.get_or_insert((number, broken));
    }

    /// The reason why the log has no calls.
    pub(super) fn without_calls(&self) -> String {
        let (lines, readable) = (self.lines, self.lines - self.broken);
        match self.first_broken {
            Some((number, broken)) if readable == 0 && self.is_table => {
                format!("none of its {lines} rows can be read; line {number}: {broken}")
            }
            Some((number, broken)) if readable == 0 => {
                format!("none of its {lines} lines is in the combined format; line {number}: {broken}")
            }
            _ if readable == 0 => "it is empty".to_owned(),
            _ if self.is_table => format!("none of its {readable} readable rows has a caller"),
            _ => format!("none of its {readable} readable lines fits `--path`, `--status` and `--by`"),
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let who = if self.is_table { "caller" } else { "user" };
        let mut notes = Vec::new();
        if self.other_years > 0 {
            let years = self.other_years;
            notes.push(format!("Calls of another year than most others, which were left out: {years}."));
        }
        if let Some((number, broken)) = self.first_broken {
            notes.push(format!(
                "Broken lines, which were left out: {} of {}. The first one is line {number}: {broken}.",
                self.broken, self.lines
            ));
        }
        for (count, lines) in [
            (self.elsewhere, "Lines with another path"),
            (self.other_status, "Lines with another status"),
            (self.unidentified, &format!("Lines without a {who}, which were left out")),
        ] {
            notes.extend((count > 0).then(|| format!("{lines}: {count}.")));
        }
        if self.backwards > 0 {
            notes.push(format!(
                "Lines that are earlier than a line before them: {}, by up to {} s. All lines were sorted by time.",
                self.backwards, self.largest_step
            ));
        }
        if self.is_spread {
            notes.push(
                "The calls of a row are spread evenly over its `seconds`, so shorter bursts are not seen."
                    .to_owned(),
            );
        }
        notes.push(
            "The log has whole seconds, so all calls of a second come at once. Limits shorter than some seconds look stricter than they are."
                .to_owned(),
        );
        notes
    }
}
