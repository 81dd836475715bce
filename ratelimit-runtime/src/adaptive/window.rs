//! The calls that have ended since the last step of the controller.

/// The sums of some calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    pub(super) calls: f64,
    pub(super) in_flight: f64,
    pub(super) seconds: f64,
    pub(super) squares: f64,
}

impl Sums {
    pub(super) const NONE: Self = Self { calls: 0.0, in_flight: 0.0, seconds: 0.0, squares: 0.0 };

    /// Adds a call that took `seconds`, and that began when `in_flight` calls were in flight, itself included.
    pub(super) fn add(&mut self, in_flight: u32, seconds: f64) {
        self.calls += 1.0;
        self.in_flight += f64::from(in_flight);
        self.seconds += seconds;
        self.squares += seconds * seconds;
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.calls += other.calls;
        self.in_flight += other.in_flight;
        self.seconds += other.seconds;
        self.squares += other.squares;
    }
}

/// The calls that have ended since the last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The calls of the group.
    pub(super) group: Sums,
    /// The calls of the group without a latency, because they have failed or were dropped.
    pub(super) lost: f64,
    /// The other calls that began with more calls in flight than the free level.
    pub(super) loaded: Sums,
    pub(super) failed: f64,
    /// Whether a call was refused.
    pub(super) reached: bool,
}

impl Window {
    pub(super) const NONE: Self =
        Self { group: Sums::NONE, lost: 0.0, loaded: Sums::NONE, failed: 0.0, reached: false };
}
