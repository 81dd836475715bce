//! Sums over the keys of each name in one pass.

use crate::usage::Usage;
use ratelimit::store::StoredKey;
use std::collections::HashMap;

/// The maximum number of names, because a program may make up names.
const MOST: usize = 1000;

/// A name, and the algorithm of its keys. If the algorithm is unknown, the format of the keys.
type Place = (String, String);

/// The sums of all names in the last complete pass, and in the current one.
#[derive(Debug, Default)]
pub(crate) struct Names {
    last: HashMap<Place, Sum>,
    current: HashMap<Place, Sum>,
}

/// The sums over the keys of one name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) keys: u64,
    /// The number of keys whose limits are known, and the number of these keys that refuse a call.
    pub(crate) known: u64,
    pub(crate) at_limit: u64,
    /// The number of keys that were read twice, and the sum of their rates.
    rated: u64,
    rates: f64,
}

/// One row of the view.
#[derive(Clone, Debug)]
pub(crate) struct NameRow {
    pub(crate) name: String,
    /// The algorithm, or the unknown format.
    pub(crate) algorithm: String,
    pub(crate) sum: Sum,
}

impl Sum {
    /// The estimated units per second of all keys. `None` until some keys were read twice.
    pub(crate) fn per_second(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (keys, rated) = (self.keys as f64, self.rated as f64);
        (self.rated > 0).then(|| self.rates / rated * keys)
    }
}

impl Names {
    pub(crate) fn add(&mut self, key: &StoredKey, usage: &Usage, rate: Option<f64>) {
        let algorithm = key.algorithm().map_or_else(|| key.format(), |algorithm| algorithm.as_str());
        let place = (key.name().to_owned(), algorithm.to_owned());
        if self.current.len() >= MOST && !self.current.contains_key(&place) {
            return;
        }
        let sum = self.current.entry(place).or_default();
        sum.keys += 1;
        sum.known += u64::from(usage.known.is_some());
        sum.at_limit += u64::from(usage.is_at_limit());
        if let Some(rate) = rate {
            sum.rated += 1;
            sum.rates += rate;
        }
    }

    /// Ends a pass.
    pub(crate) fn end_pass(&mut self) {
        self.last = std::mem::take(&mut self.current);
    }

    /// The sums of the last complete pass. For names that it does not have, the sums of the current pass.
    fn sums(&self) -> impl Iterator<Item = (&Place, &Sum)> {
        let new = self.current.iter().filter(|(place, _)| !self.last.contains_key(*place));
        self.last.iter().chain(new)
    }

    /// All rows, the busiest names first.
    pub(crate) fn rows(&self) -> Vec<NameRow> {
        let row = |((name, algorithm), sum): (&Place, &Sum)| {
            let (name, algorithm) = (name.clone(), algorithm.clone());
            NameRow { name, algorithm, sum: *sum }
        };
        let mut rows: Vec<NameRow> = self.sums().map(row).collect();
        let rate = |row: &NameRow| row.sum.per_second().unwrap_or(0.0);
        rows.sort_by(|a, b| {
            rate(b).total_cmp(&rate(a)).then(b.sum.keys.cmp(&a.sum.keys)).then(a.name.cmp(&b.name))
        });
        rows
    }

    /// The number of keys.
    pub(crate) fn keys(&self) -> u64 {
        self.sums().map(|(_, sum)| sum.keys).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_replaces_the_pass_before() {
        let mut names = Names::default();
        let key = StoredKey::parse("p", b"p:{x}:n:sl1").unwrap();
        let usage = Usage { used: Some(1), known: None };
        for _ in 0..4 {
            names.add(&key, &usage, None);
        }
        assert_eq!((names.keys(), names.rows()[0].sum.per_second()), (4, None));
        names.end_pass();
        names.add(&key, &usage, Some(3.0));
        assert_eq!(names.keys(), 4, "the pass before, until this one is complete");
        names.add(&key, &usage, None);
        names.end_pass();
        assert_eq!(
            (names.keys(), names.rows()[0].sum.per_second()),
            (2, Some(6.0)),
            "one key stands for both"
        );
        names.end_pass();
        assert!(names.rows().is_empty());
    }
}
