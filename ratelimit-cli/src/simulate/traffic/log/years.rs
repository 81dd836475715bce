//! Leaves out the calls of another year than most others, because one line with a wrong year would hide all others.

use super::identity::Numbers;
use crate::simulate::numbers::index;
use crate::simulate::time::{DAY, SECOND};

/// Keeps the calls of the 366 days that have the most of them, among calls in the order of their seconds. Returns the callers of
/// these calls, and the number of the other calls.
pub(super) fn within_a_year(calls: &mut Vec<(i64, u32)>, numbers: Numbers) -> (Vec<Box<[u8]>>, usize) {
    let year = i64::try_from(366 * DAY / SECOND).unwrap_or(i64::MAX);
    let (mut best, mut first) = (0..0, 0);
    for (last, (at, _)) in calls.iter().enumerate() {
        while at - calls[first].0 >= year {
            first += 1;
        }
        if last + 1 - first > best.len() {
            best = first..last + 1;
        }
    }
    let others = calls.len() - best.len();
    calls.truncate(best.end);
    calls.drain(..best.start);
    let names = numbers.into_names();
    if others == 0 {
        return (names, 0);
    }
    let mut kept = Numbers::default();
    for (_, caller) in calls {
        let name = names.get(index((*caller).into())).map_or(&b""[..], |name| &name[..]);
        *caller = kept.number(name, <[u8]>::to_vec);
    }
    (kept.into_names(), others)
}
