//! A series of figures, one per round, and its median, spread and ratios.

use std::fmt;

/// A series with one figure per round. All subjects run in each round, so other work on the machine affects all of them
/// equally.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series(Vec<f64>);

impl Series {
    /// Returns a series of a figure that is the same in all rounds.
    pub(crate) fn once(figure: f64) -> Self {
        Self(vec![figure])
    }

    pub(crate) fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// Returns the median, or `NaN` if nothing was measured.
    pub(crate) fn median(&self) -> f64 {
        let mut figures = self.0.clone();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Returns the lowest and the highest figure. `None` if there is at most one figure.
    pub(crate) fn spread(&self) -> Option<(f64, f64)> {
        let end = |choose: fn(f64, f64) -> f64| self.0.iter().copied().fold(f64::NAN, choose);
        (self.0.len() > 1).then(|| (end(f64::min), end(f64::max)))
    }

    /// Returns the ratio to another series, round by round.
    pub(crate) fn ratio(&self, other: &Self) -> Self {
        self.with(other, |ours, theirs| ours / theirs)
    }

    /// Returns the difference from another series, round by round.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.with(other, |ours, theirs| ours - theirs)
    }

    fn with(&self, other: &Self, join: impl Fn(f64, f64) -> f64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(ours, theirs)| join(*ours, *theirs)).collect())
    }
}

impl FromIterator<f64> for Series {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        Self(figures.into_iter().collect())
    }
}

/// Shows the median, with the lowest and the highest figure.
impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", shown(self.median()))?;
        match self.spread() {
            Some((low, high)) => write!(f, " ({}–{})", shown(low), shown(high)),
            None => Ok(()),
        }
    }
}

/// Writes a figure with three digits, and with `k` or `M` if it is large.
pub(crate) fn shown(figure: f64) -> String {
    let (figure, unit) = match figure.abs() {
        size if size.is_nan() => return "–".to_owned(),
        size if size >= 999_500.0 => (figure / 1e6, " M"),
        size if size >= 9_999.5 => (figure / 1e3, " k"),
        _ => (figure, ""),
    };
    let decimals = match figure.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{figure:.decimals$}{unit}")
}

/// Writes a count with a space between thousands.
pub(crate) fn grouped(count: usize) -> String {
    match (count / 1000, count % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{} {rest:03}", grouped(thousands)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Series, grouped, shown};

    #[test]
    fn three_digits_are_shown() {
        let figures = [0.0, 1.234, 9.999, 17.64, 123.4, 9_000.0, 12_345.0, 999_600.0, 2_345_678.0];
        let expected = ["0.00", "1.23", "10.0", "17.6", "123", "9000", "12.3 k", "1.00 M", "2.35 M"];
        assert_eq!(figures.map(shown), expected.map(str::to_owned));
        assert_eq!(shown(f64::NAN), "–");
        assert_eq!([7, 12_000, 1_002_003].map(grouped), ["7", "12 000", "1 002 003"]);
    }

    #[test]
    fn a_series_is_shown_as_its_median_and_spread() {
        assert_eq!(Series(vec![3.0, 1.0, 2.0]).to_string(), "2.00 (1.00–3.00)");
        assert_eq!(Series::once(3.0).to_string(), "3.00");
        assert_eq!(Series::default().to_string(), "–");
    }

    #[test]
    fn series_are_compared_round_by_round() {
        let (ours, theirs) = (Series(vec![1.0, 10.0]), Series(vec![2.0, 40.0]));
        assert_eq!(ours.ratio(&theirs).0, [0.5, 0.25]);
        assert_eq!(theirs.difference(&ours).0, [1.0, 30.0]);
    }
}
