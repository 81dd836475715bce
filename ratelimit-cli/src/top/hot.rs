//! Selects the busiest and the fullest keys, which are read each second.

use super::rate::Reading;
use crate::limits::Limits;
use crate::session::Session;
use ratelimit::store::StoredKey;
use std::cmp::Ordering;
use std::collections::HashSet;

/// The number of busiest keys, and the number of fullest keys.
const EACH: usize = 100;
/// The maximum number of candidates before the next choice.
const CANDIDATES: usize = 2000;
/// The weight of the last second in a rate.
const WEIGHT: f64 = 0.5;

/// Keys that are read each second.
#[derive(Debug, Default)]
pub(crate) struct Hot {
    keys: Vec<HotKey>,
    known: HashSet<Vec<u8>>,
}

/// One key.
#[derive(Clone, Debug)]
pub(crate) struct HotKey {
    pub(crate) key: StoredKey,
    pub(crate) bytes: Vec<u8>,
    /// The identity, or its hash.
    pub(crate) who: String,
    pub(crate) reading: Reading,
    /// A lower bound of the units per second. `None` before the second reading.
    pub(crate) rate: Option<f64>,
}

impl HotKey {
    /// Orders the busier key first. Equally busy keys are ordered by their fullness.
    pub(crate) fn by_rate(&self, other: &Self) -> Ordering {
        let rate = |hot: &Self| hot.rate.unwrap_or(0.0);
        rate(other).total_cmp(&rate(self)).then_with(|| other.fullness().total_cmp(&self.fullness()))
    }

    /// Orders the key first that is used up more. Equal keys are ordered by their rate.
    pub(crate) fn by_fullness(&self, other: &Self) -> Ordering {
        other.fullness().total_cmp(&self.fullness()).then_with(|| self.by_rate(other))
    }

    /// The rank by use. If the capacity is unknown, units count for little.
    fn fullness(&self) -> f64 {
        let units = f64::from(self.reading.usage.used.unwrap_or(0));
        self.reading.usage.share().map_or(units * 1e-12, |share| share + units * 1e-9)
    }
}

impl Hot {
    /// The keys, the busiest first.
    pub(crate) fn sorted(&self) -> Vec<HotKey> {
        let mut keys = self.keys.clone();
        keys.sort_by(HotKey::by_rate);
        keys
    }

    /// Offers a key that the scan has found.
    pub(crate) fn offer(&mut self, candidate: HotKey) {
        if self.known.contains(&candidate.bytes) {
            return;
        }
        self.known.insert(candidate.bytes.clone());
        self.keys.push(candidate);
        if self.keys.len() > CANDIDATES {
            self.choose();
        }
    }

    /// Keeps the busiest and the fullest keys.
    fn choose(&mut self) {
        self.keys.sort_by(HotKey::by_rate);
        if self.keys.len() > EACH {
            let mut others = self.keys.split_off(EACH);
            others.sort_by(HotKey::by_fullness);
            others.truncate(EACH);
            self.keys.append(&mut others);
        }
        self.known = self.keys.iter().map(|hot| hot.bytes.clone()).collect();
    }

    /// Drops the keys for which `is_kept` is false.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&[u8]) -> bool) {
        self.keys.retain(|hot| is_kept(&hot.bytes));
        self.known.retain(|bytes| is_kept(bytes));
    }

    /// Reads all keys again.
    pub(crate) async fn read(&mut self, session: &Session, limits: &Limits) -> Result<(), ratelimit::Error> {
        self.choose();
        let keys: Vec<(StoredKey, Vec<u8>)> =
            self.keys.iter().map(|hot| (hot.key.clone(), hot.bytes.clone())).collect();
        let readings = Reading::all(session, limits, &keys).await?;
        for (hot, reading) in self.keys.iter_mut().zip(readings) {
            let Some(reading) = reading else { continue };
            if let Some(algorithm) = hot.key.algorithm()
                && let Some(rate) = reading.rate_since(&hot.reading, algorithm).or(hot.rate.map(|_| 0.0))
            {
                hot.rate = Some(hot.rate.map_or(rate, |before| before * (1.0 - WEIGHT) + rate * WEIGHT));
            }
            hot.reading = reading;
        }
        // Keeps keys that are in use, or were used recently.
        self.keys.retain(|hot| hot.reading.usage.used != Some(0) || hot.rate.is_some_and(|rate| rate > 0.01));
        self.known = self.keys.iter().map(|hot| hot.bytes.clone()).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;

    fn hot(number: u32, rate: f64) -> HotKey {
        let bytes = format!("p:{{{number}}}:n:c2").into_bytes();
        let (usage, now) = (Usage { used: Some(number), known: None }, std::time::Instant::now());
        let key = StoredKey::parse("p", &bytes).unwrap();
        HotKey {
            key,
            bytes,
            who: number.to_string(),
            reading: Reading { sent: now, at: now, usage, level: Some(number) },
            rate: Some(rate),
        }
    }

    #[test]
    fn the_busiest_and_the_fullest_are_kept() {
        let mut all = Hot::default();
        for number in 0..10_000 {
            all.offer(hot(number, if number < 50 { 1.0 } else { 0.0 }));
            assert!(all.keys.len() <= CANDIDATES);
        }
        all.offer(hot(9999, 9.0));
        all.choose();
        let used = |number| all.keys.iter().filter(|hot| hot.reading.usage.used == Some(number)).count();
        assert_eq!((all.keys.len(), used(7), used(9998), used(9999)), (2 * EACH, 1, 1, 1));
    }
}
