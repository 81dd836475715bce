//! Computes the answer to one input of the page.

use crate::simulate::engine::{Grid, Outcome, decide};
use crate::simulate::numbers::float;
use crate::simulate::time::SECOND;
use crate::simulate::traffic::log::{Selection, read};
use ratelimit::Limit;
use serde_json::{Value, json};

/// The maximum number of bars in a chart.
const PARTS: u64 = 120;

/// Decides about the calls of the log under each limit.
///
/// # Errors
///
/// If a limit or the log cannot be read. The error is a sentence for the reader of the page.
pub(crate) fn answer(input: &str) -> Result<Value, String> {
    let (limits, log) = input.split_once("\n\n").ok_or("the input has no empty line after its limits")?;
    let limits: Vec<Limit> = limits
        .lines()
        .map(|text| text.parse().map_err(|error| format!("{text}: {error}")))
        .collect::<Result<_, String>>()?;
    let traffic = read(log.as_bytes(), "the log", &Selection::default())?;
    let grid = Grid::covering(traffic.length, PARTS);
    let outcomes = limits.iter().map(|limit| decide(limit, &traffic, 1, grid, |_, _| {}));
    let outcomes: Vec<Outcome> = outcomes.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok(json!({
        "traffic": traffic.words,
        "notes": traffic.notes,
        "part_seconds": float(grid.width) / float(SECOND),
        "offered": outcomes.first().map(|outcome| &outcome.series.offered),
        "limits": outcomes.iter().map(limit).collect::<Vec<_>>(),
    }))
}

fn limit(outcome: &Outcome) -> Value {
    json!({
        "limit": outcome.limit.to_string(),
        "admitted": outcome.admitted,
        "refused": outcome.refused,
        "waited": outcome.waited,
        "longest_wait_seconds": float(outcome.longest_wait) / float(SECOND),
        "callers_refused": outcome.callers_refused,
        "most_in_one_window": outcome.worst,
        "admitted_parts": outcome.series.admitted,
        "refused_parts": outcome.series.refused,
    })
}

#[cfg(test)]
mod tests {
    use super::answer;

    /// The limits of the guide's page *Choosing a limit*. The page says how many calls of a burst at the edge of a window each
    /// limit admits.
    #[test]
    fn limits_are_decided_beside_each_other() {
        let mut log = "time,caller,calls,seconds\n".to_owned();
        log.push_str("0,a,1,1\n59,a,99,1\n60,a,100,1\n");
        let input = format!("counter count=100 time=1m\nsliding_log count=100 time=1m\n\n{log}");
        let found = answer(&input).unwrap();
        let numbers = |at: usize| {
            ["admitted", "refused", "most_in_one_window"]
                .map(|key| found["limits"][at][key].as_u64().unwrap())
        };
        assert_eq!(numbers(0), [200, 0, 199]);
        assert_eq!(numbers(1), [101, 99, 100]);
        assert_eq!(
            found["offered"].as_array().unwrap().len(),
            found["limits"][0]["admitted_parts"].as_array().unwrap().len()
        );
    }

    #[test]
    fn mistakes_are_sentences() {
        for (input, says) in [
            ("counter count=0\n\nx", "counter count=0: "),
            ("counter count=1 time=1s\n\n", "it is empty"),
            ("counter count=1 time=1s", "no empty line"),
        ] {
            let error = answer(input).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
