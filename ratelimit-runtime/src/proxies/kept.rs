//! `KeptHeaders`: the forwarding headers of a request whose limiter is not known yet.

use super::MOST_ENTRIES;
use super::error::FORWARDING_HEADERS;
use crate::identity::RequestHeaders;
use parking_lot::RwLock;

/// The header names of `Forwarded::Single` for which limiters of this process were built.
static SINGLE: RwLock<Vec<Box<str>>> = RwLock::new(Vec::new());

/// Adds the name of a header that [`KeptHeaders`] must contain.
pub(super) fn read_later(name: &str) {
    let is_known = SINGLE.read().iter().any(|known| **known == *name);
    if !is_known {
        SINGLE.write().push(name.into());
    }
}

/// A copy of the header lines that some limiter may read to find the client.
#[derive(Clone)]
pub(crate) struct KeptHeaders(Vec<(Box<str>, Vec<u8>)>);

impl KeptHeaders {
    pub(crate) fn of(headers: &dyn RequestHeaders) -> Self {
        let mut kept = Vec::new();
        let mut keep = |name: &str| {
            let first = kept.len();
            headers.header_lines(name, &mut |line| {
                // Only the last lines are read.
                if kept.len() - first == MOST_ENTRIES {
                    kept.remove(first);
                }
                kept.push((name.into(), line.to_vec()));
            });
        };
        FORWARDING_HEADERS.into_iter().for_each(&mut keep);
        for name in SINGLE.read().iter().filter(|name| !FORWARDING_HEADERS.contains(&&***name)) {
            keep(name);
        }
        Self(kept)
    }
}

impl RequestHeaders for KeptHeaders {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.0.iter().filter(|(known, _)| **known == *name).for_each(|(_, kept)| line(kept));
    }
}
