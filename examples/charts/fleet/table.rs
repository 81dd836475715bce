//! Prints a table with one row for each strategy, and a bar for the calls that reach Redis.

use crate::measure::Measured;
use crate::{Comparison, Row};

/// The length of the longest bar, in characters.
const BAR: f64 = 24.0;

pub(crate) fn comparison(comparison: &Comparison) -> String {
    let Comparison { limit, best, rows } = comparison;
    let most = rows.iter().map(|row| row.measured.redis_calls).fold(1.0, f64::max);
    let lines = rows.iter().map(|row| line(row, most));
    format!(
        "\n{limit}: {:.0} calls/s, of which at most {:.0} can be admitted\n\n{}{}",
        best.demand,
        best.admitted,
        heading(),
        lines.collect::<String>()
    )
}

fn heading() -> String {
    let line = |words: [&str; 7]| {
        let [calls, bars, passed, under, over, here, refused] = words;
        format!(
            "{:<27} {calls:>8}  {bars:<24} {passed:>8} {under:>8} {over:>8} {here:>10} {refused:>8}\n",
            ""
        )
    };
    line(["Redis", "", "passed", "under", "over", "handed out", "refused"])
        + &line(["calls/s", "", "/s", "", "", "here/s", "here/s"])
}

fn line(row: &Row, most: f64) -> String {
    let Measured { redis_calls, admitted, refused_here, passed_here, under_use, over_use, .. } =
        &row.measured;
    let bar = bar(redis_calls / most);
    format!(
        "{:<27} {redis_calls:>8.0}  {bar:<24} {admitted:>8.0} {under_use:>6.2} % {over_use:>6.2} % {passed_here:>10.0} {refused_here:>8.0}\n",
        row.name
    )
}

/// Returns a bar with a resolution of an eighth of a character.
fn bar(part: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut left = part * BAR;
    let mut bar = String::new();
    while left >= 1.0 {
        bar.push('█');
        left -= 1.0;
    }
    let eighth = PARTS.iter().enumerate().rfind(|(at, _)| eighths(*at) <= left);
    bar + eighth.map_or("", |(_, part)| part)
}

fn eighths(number: usize) -> f64 {
    u32::try_from(number).map_or(1.0, |number| f64::from(number) / 8.0)
}

pub(crate) const NOTES: &str = "\
under: the share of calls that were refused, although Redis itself would have admitted them.
over: how far a window exceeded the limit, or a burst exceeded the bucket.
here: decided in the process, without asking Redis.
The limiters are real. Redis (1 ms round trip) and group commit are a model.
";

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_are_as_long_as_their_part() {
        assert_eq!((bar(0.0), bar(1.0)), (String::new(), "█".repeat(24)));
        assert_eq!(bar(1.5 / 24.0), "█▌");
    }
}
