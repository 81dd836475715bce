//! Medians of interleaved rounds.

/// Figures of one subject, one per round.
pub(crate) struct Row {
    pub(crate) subject: String,
    pub(crate) figures: Vec<f64>,
}

impl Row {
    pub(crate) fn new(subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), figures: Vec::new() }
    }

    pub(crate) fn median(&self) -> f64 {
        let mut figures = self.figures.clone();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The lowest and the highest.
    pub(crate) fn spread(&self) -> (f64, f64) {
        self.figures
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), figure| (low.min(*figure), high.max(*figure)))
    }
}
