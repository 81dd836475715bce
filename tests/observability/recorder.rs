//! A recorder that stores the value of each series of the whole process. Tests use limits with different names.

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use ratelimit::observe::Kind;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The values of one series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    /// The sum of all changes.
    pub(crate) sum: f64,
    /// The number of changes.
    pub(crate) changes: u64,
}

impl Series {
    /// Returns the sum of a series that counts calls or units.
    #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
    pub(crate) fn whole(&self) -> i64 {
        self.sum as i64
    }
}

type Described = (Kind, Option<Unit>, String);
type Name = (Kind, String, Vec<(String, String)>);

/// The values of all series, and the kind, unit and description of each name.
#[derive(Clone, Default)]
pub(crate) struct Recorded {
    series: Arc<Mutex<HashMap<Name, Series>>>,
    described: Arc<Mutex<HashMap<String, Described>>>,
}

/// Installs the recorder at the first call. Returns its recorded series.
pub(crate) fn recorded() -> Recorded {
    static RECORDED: LazyLock<Recorded> = LazyLock::new(|| {
        let recorded = Recorded::default();
        metrics::set_global_recorder(recorded.clone()).map_err(|_| "another recorder").unwrap();
        recorded
    });
    RECORDED.clone()
}

impl Recorded {
    /// Returns the value of a series, or zero if the series does not exist.
    pub(crate) fn get(&self, kind: Kind, name: &str, labels: &[(&str, &str)]) -> Series {
        let labels = labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect();
        self.series.lock().unwrap().get(&(kind, name.to_owned(), labels)).cloned().unwrap_or_default()
    }

    /// Returns all outcomes of a limit that occurred, in alphabetical order, such as `allowed 5, limited 2`.
    pub(crate) fn outcomes(&self, limit: &str) -> String {
        let series = self.series.lock().unwrap();
        let of_limit = series.iter().filter(|((_, name, labels), _)| {
            name == "ratelimit.decisions" && labels.first().is_some_and(|(_, value)| value == limit)
        });
        let mut found: Vec<String> =
            of_limit.map(|((_, _, labels), series)| format!("{} {}", labels[1].1, series.sum)).collect();
        found.sort();
        found.join(", ")
    }

    /// Returns the value of a limit's gauge.
    pub(crate) fn gauge(&self, name: &str, limit: &str) -> i64 {
        self.get(Kind::Gauge, name, &[("ratelimit.limit", limit)]).whole()
    }

    /// Returns the kind, the name and the label names of each series.
    pub(crate) fn emitted(&self) -> Vec<(Kind, String, Vec<String>)> {
        let series = self.series.lock().unwrap();
        let names = |labels: &[(String, String)]| labels.iter().map(|(label, _)| label.clone()).collect();
        series.keys().map(|(kind, name, labels)| (*kind, name.clone(), names(labels))).collect()
    }

    /// Returns the values of all labels.
    pub(crate) fn values(&self) -> Vec<String> {
        let series = self.series.lock().unwrap();
        series.keys().flat_map(|(_, _, labels)| labels.iter().map(|(_, value)| value.clone())).collect()
    }

    /// Returns the kind, the unit and the description of a name. `None` if the name was not described.
    pub(crate) fn described(&self, name: &str) -> Option<Described> {
        self.described.lock().unwrap().get(name).cloned()
    }

    fn cell(&self, kind: Kind, key: &Key) -> Arc<Cell> {
        let labels = key.labels().map(|label| (label.key().to_owned(), label.value().to_owned())).collect();
        Arc::new(Cell { name: (kind, key.name().to_owned(), labels), recorded: self.clone() })
    }

    fn describe(&self, kind: Kind, key: &KeyName, unit: Option<Unit>, text: &SharedString) {
        let described = (kind, unit, text.to_string());
        let before = self.described.lock().unwrap().insert(key.as_str().to_owned(), described);
        assert!(before.is_none(), "{key:?} is described twice");
    }
}

/// A series of the recorder.
struct Cell {
    name: Name,
    recorded: Recorded,
}

impl Cell {
    fn change(&self, by: f64) {
        let mut series = self.recorded.series.lock().unwrap();
        let series = series.entry(self.name.clone()).or_default();
        series.sum += by;
        series.changes += 1;
    }
}

impl CounterFn for Cell {
    fn increment(&self, value: u64) {
        self.change(f64::from(u32::try_from(value).unwrap()));
    }

    fn absolute(&self, _: u64) {
        unreachable!("counters are only incremented");
    }
}

impl GaugeFn for Cell {
    fn increment(&self, value: f64) {
        self.change(value);
    }

    fn decrement(&self, value: f64) {
        self.change(-value);
    }

    fn set(&self, _: f64) {
        unreachable!("a set gauge would hide the other limiters");
    }
}

impl HistogramFn for Cell {
    fn record(&self, value: f64) {
        self.change(value);
    }
}

impl Recorder for Recorded {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe(Kind::Counter, &key, unit, &text);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe(Kind::Gauge, &key, unit, &text);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe(Kind::Histogram, &key, unit, &text);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(Kind::Counter, key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.cell(Kind::Gauge, key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.cell(Kind::Histogram, key))
    }
}
