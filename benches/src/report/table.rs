//! A table of figures, and the goals for them.

use super::series::{Series, shown};

/// The results under one load, with a row per subject and a column per kind of figure.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) goals: Vec<Goal>,
    /// The columns to draw, and which direction is better.
    pub(crate) drawn: Vec<(usize, Better)>,
}

/// The figures of one subject.
pub(crate) struct Row {
    pub(crate) subject: String,
    pub(crate) is_ours: bool,
    pub(crate) figures: Vec<Series>,
}

/// The direction in which figures become better.
#[derive(Clone, Copy)]
pub(crate) enum Better {
    Less,
    More,
}

/// A goal for one of our figures.
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) found: Series,
    pub(crate) bound: Bound,
}

/// The bound of a goal, compared with the figure of another subject.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    /// At most this multiple of the other figure.
    AtMost(f64),
    /// At least this multiple of the other figure.
    AtLeast(f64),
    /// At most this much above the other figure.
    Beyond(f64),
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { title: title.into(), columns, rows: Vec::new(), goals: Vec::new(), drawn: Vec::new() }
    }

    pub(crate) fn draw(mut self, column: usize, better: Better) -> Self {
        self.drawn.push((column, better));
        self
    }

    /// Adds a goal for a figure of ours, relative to the figure of another subject, if both were measured.
    pub(crate) fn goal(&mut self, ours: &str, beside: &str, column: usize, bound: Bound) {
        let figure = |subject: &str| self.rows.iter().find(|row| row.subject == subject)?.figures.get(column);
        let Some((ours_found, others)) = figure(ours).zip(figure(beside)) else { return };
        let found = match bound {
            Bound::AtMost(_) | Bound::AtLeast(_) => ours_found.ratio(others),
            Bound::Beyond(_) => ours_found.difference(others),
        };
        let what = format!("{ours}, beside {beside}: {}", self.columns[column]);
        self.goals.push(Goal { what, found, bound });
    }
}

impl Row {
    pub(crate) fn new(subject: impl Into<String>, is_ours: bool, columns: usize) -> Self {
        Self { subject: subject.into(), is_ours, figures: vec![Series::default(); columns] }
    }

    /// Adds the figures of one round.
    pub(crate) fn push(&mut self, figures: &[f64]) {
        self.figures.iter_mut().zip(figures).for_each(|(series, figure)| series.push(*figure));
    }
}

impl Goal {
    pub(crate) fn is_reached(&self) -> bool {
        let found = self.found.median();
        match self.bound {
            Bound::AtMost(bound) | Bound::Beyond(bound) => found <= bound,
            Bound::AtLeast(bound) => found >= bound,
        }
    }

    /// Returns the result and the goal, as text.
    pub(crate) fn words(&self) -> [String; 2] {
        match self.bound {
            Bound::AtMost(bound) => [format!("{} ×", self.found), format!("≤ {} ×", shown(bound))],
            Bound::AtLeast(bound) => [format!("{} ×", self.found), format!("≥ {} ×", shown(bound))],
            Bound::Beyond(bound) => [format!("+ {}", self.found), format!("≤ + {}", shown(bound))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Row, Table};

    fn table() -> Table {
        let mut table = Table::new("load", &["per second", "us"]);
        for (subject, figures) in
            [("ours", [[400.0, 2.0], [600.0, 3.0]]), ("theirs", [[100.0, 5.0], [300.0, 6.0]])]
        {
            let mut row = Row::new(subject, subject == "ours", 2);
            for round in figures {
                row.push(&round);
            }
            table.rows.push(row);
        }
        table
    }

    #[test]
    fn goals_are_ratios_or_differences() {
        let mut table = table();
        table.goal("ours", "theirs", 0, Bound::AtLeast(5.0));
        table.goal("ours", "theirs", 1, Bound::AtMost(0.5));
        table.goal("ours", "theirs", 1, Bound::Beyond(-3.5));
        let found: Vec<_> = table.goals.iter().map(|goal| (goal.words(), goal.is_reached())).collect();
        let words = |found: &str, wanted: &str| [found.to_owned(), wanted.to_owned()];
        assert_eq!(found[0], (words("4.00 (2.00–4.00) ×", "≥ 5.00 ×"), false));
        assert_eq!(found[1], (words("0.50 (0.40–0.50) ×", "≤ 0.50 ×"), true));
        assert!(!found[2].1);
        assert_eq!(table.goals[0].what, "ours, beside theirs: per second");
    }

    #[test]
    fn a_subject_that_was_not_measured_has_no_goal() {
        let mut table = table();
        table.goal("ours", "nobody", 0, Bound::AtMost(1.0));
        assert!(table.goals.is_empty());
    }
}
