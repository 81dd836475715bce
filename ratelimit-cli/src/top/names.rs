//! What is known about each name: sums over the keys of one pass.

use crate::usage::Usage;
use ratelimit::store::StoredKey;
use std::collections::HashMap;

/// The most names. A program may make up names.
const MOST: usize = 1000;

/// All names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: HashMap<(String, String), Sums>,
}

/// The sums of a name in the last complete pass, and in the current one.
#[derive(Debug, Default)]
struct Sums {
    last: Option<Sum>,
    current: Sum,
}

/// The sums over the keys of one name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) keys: u64,
    /// Keys whose numbers are known, and those of them that refuse a call.
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
    /// The units per second of all keys, if some of them were read twice: the rates of these keys stand for all.
    pub(crate) fn per_second(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (keys, rated) = (self.keys as f64, self.rated as f64);
        (self.rated > 0).then(|| self.rates / rated * keys)
    }
}

impl Names {
    pub(crate) fn add(&mut self, key: &StoredKey, usage: &Usage, rate: Option<f64>) {
        let place = (key.name().to_owned(), key.format().to_owned());
        if self.names.len() >= MOST && !self.names.contains_key(&place) {
            return;
        }
        let sum = &mut self.names.entry(place).or_default().current;
        sum.keys += 1;
        sum.known += u64::from(usage.known.is_some());
        sum.at_limit += u64::from(usage.is_at_limit());
        if let Some(rate) = rate {
            sum.rated += 1;
            sum.rates += rate;
        }
    }

    /// Ends a pass. Names without keys disappear.
    pub(crate) fn end_pass(&mut self) {
        self.names.retain(|_, sums| {
            sums.last = Some(std::mem::take(&mut sums.current));
            sums.last.is_some_and(|last| last.keys > 0)
        });
    }

    /// The busiest names first.
    pub(crate) fn rows(&self) -> Vec<NameRow> {
        let mut rows: Vec<NameRow> = self
            .names
            .iter()
            .map(|((name, format), sums)| NameRow {
                name: name.clone(),
                algorithm: algorithm(format),
                sum: sums.last.unwrap_or(sums.current),
            })
            .collect();
        let rate = |row: &NameRow| row.sum.per_second().unwrap_or(0.0);
        rows.sort_by(|a, b| {
            rate(b).total_cmp(&rate(a)).then(b.sum.keys.cmp(&a.sum.keys)).then(a.name.cmp(&b.name))
        });
        rows
    }

    /// The number of keys of the last pass, or of the current one.
    pub(crate) fn keys(&self) -> u64 {
        self.names.values().map(|sums| sums.last.unwrap_or(sums.current).keys).sum()
    }
}

fn algorithm(format: &str) -> String {
    let key = StoredKey::parse("p", format!("p:{{n}}:{format}").as_bytes());
    let algorithm = key.and_then(|key| key.algorithm());
    algorithm.map_or_else(|| format.to_owned(), |algorithm| algorithm.as_str().to_owned())
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
