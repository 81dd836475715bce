//! `Decisions` and `Adjusted`: the results in a reply, in the order of the requests. One result needs no heap allocation.

use crate::decision::Decision;
use std::ops::Deref;

/// The results in a reply, in the order of the requests or adjustments. Dereferences to a slice. `collect` makes it from an
/// iterator. One result needs no heap allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a decision limits nothing unless you check `is_allowed()`, and an adjustment may have changed fewer units"]
pub struct Results<T>(Place<T>);

/// The decisions about a slice of [`Request`](super::Request)s.
pub type Decisions = Results<Decision>;

/// The number of units that each [`Adjustment`](super::Adjustment) changed. For blocks and pauses, [`Change`](super::Change)
/// says which number it is.
pub type Adjusted = Results<u32>;

/// One result inline, or any number of results on the heap. A single result is written directly to the place where it is read,
/// which a small vector does not achieve.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place<T> {
    One([T; 1]),
    Several(Vec<T>),
}

impl<T> Results<T> {
    pub(crate) const fn new() -> Self {
        Self(Place::Several(Vec::new()))
    }

    #[inline]
    pub(crate) fn one(result: T) -> Self {
        Self(Place::One([result]))
    }

    pub(crate) fn push(&mut self, result: T) {
        self.0 = match std::mem::take(self).0 {
            Place::One([first]) => Place::Several(vec![first, result]),
            Place::Several(results) if results.is_empty() => Place::One([result]),
            Place::Several(mut results) => {
                results.push(result);
                Place::Several(results)
            }
        };
    }
}

impl<T> Default for Results<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Results<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::One(result) => result,
            Place::Several(results) => several(results),
        }
    }
}

/// Not inlined, because inlined code would load a length that was written just before, and wait for that write.
#[cold]
#[inline(never)]
fn several<T>(results: &[T]) -> &[T] {
    results
}

impl<T> FromIterator<T> for Results<T> {
    fn from_iter<I: IntoIterator<Item = T>>(results: I) -> Self {
        let mut all = Self::new();
        all.extend(results);
        all
    }
}

impl<T> Extend<T> for Results<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, results: I) {
        results.into_iter().for_each(|result| self.push(result));
    }
}

impl<'a, T> IntoIterator for &'a Results<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;
    use std::time::Duration;

    #[test]
    fn results_are_slices_of_the_collected_elements() {
        let limit = Limit::counter(9, Duration::from_secs(1));
        let decision = |left| Decision::allow(&limit, left, Duration::ZERO);
        let mut decisions: Decisions = (0..3).map(decision).collect();
        decisions.push(decision(3));
        decisions.extend([decision(4)]);
        assert_eq!(decisions.iter().map(Decision::remaining).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!((&decisions).into_iter().count(), decisions.len());
        assert_eq!(Decisions::one(decision(7)), [decision(7)].into_iter().collect());
        assert!(Decisions::new().is_empty() && matches!(Decisions::one(decision(7)).0, Place::One(_)));
        assert_eq!(*[1, 2].into_iter().collect::<Adjusted>(), [1, 2]);
    }
}
