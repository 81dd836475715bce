//! `Decisions` and `Adjusted`: the results in a reply, in the order of the requests. One result needs no heap allocation.

use crate::decision::Decision;
use std::ops::Deref;

/// One result in place, or any number on the heap. A single result is written where it is read, which a small vector does
/// not achieve.
#[derive(Clone, Debug)]
enum Results<T> {
    One([T; 1]),
    Several(Vec<T>),
}

impl<T> Results<T> {
    fn push(&mut self, result: T) {
        *self = match std::mem::take(self) {
            Self::One([first]) => Self::Several(vec![first, result]),
            Self::Several(results) if results.is_empty() => Self::One([result]),
            Self::Several(mut results) => {
                results.push(result);
                Self::Several(results)
            }
        };
    }
}

impl<T> Default for Results<T> {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl<T> Deref for Results<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::One(result) => result,
            Self::Several(results) => several(results),
        }
    }
}

/// Not inlined: inlined code would load a length that was just written, and wait for it.
#[cold]
#[inline(never)]
fn several<T>(results: &[T]) -> &[T] {
    results
}

macro_rules! results {
    ($(#[$attribute:meta])* $name:ident of $element:ty) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default)]
        pub struct $name(Results<$element>);

        impl $name {
            pub(crate) fn new() -> Self {
                Self::default()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl Eq for $name {}

        impl Deref for $name {
            type Target = [$element];

            #[inline]
            fn deref(&self) -> &[$element] {
                &self.0
            }
        }

        impl FromIterator<$element> for $name {
            fn from_iter<I: IntoIterator<Item = $element>>(elements: I) -> Self {
                let mut all = Self::default();
                all.extend(elements);
                all
            }
        }

        impl Extend<$element> for $name {
            fn extend<I: IntoIterator<Item = $element>>(&mut self, elements: I) {
                elements.into_iter().for_each(|element| self.0.push(element));
            }
        }

        impl<'a> IntoIterator for &'a $name {
            type Item = &'a $element;
            type IntoIter = std::slice::Iter<'a, $element>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}

results! {
    /// The decisions about a slice of [`Request`](super::Request)s, in the order of the requests.
    ///
    /// Dereferences to a slice of [`Decision`]s. `collect` makes it from an iterator. One decision needs no heap allocation.
    #[must_use = "a decision limits nothing unless you check `is_allowed()`"]
    Decisions of Decision
}

results! {
    /// The number of units that each [`Adjustment`](super::Adjustment) changed, in the order of the adjustments.
    ///
    /// Dereferences to a slice of numbers. `collect` makes it from an iterator. One number needs no heap allocation.
    Adjusted of u32
}

impl Decisions {
    #[inline]
    pub(crate) fn one(decision: Decision) -> Self {
        Self(Results::One([decision]))
    }

    pub(crate) fn push(&mut self, decision: Decision) {
        self.0.push(decision);
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
        assert!(Decisions::new().is_empty() && matches!(Decisions::one(decision(7)).0, Results::One(_)));
        assert_eq!(*[1, 2].into_iter().collect::<Adjusted>(), [1, 2]);
    }
}
