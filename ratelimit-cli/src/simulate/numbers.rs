//! Conversions between whole numbers and floating point numbers, and percentages as text.

/// Converts a count or a time. Above 2^53 the result is rounded.
#[expect(clippy::cast_precision_loss, reason = "counts and times of a simulation are far below 2^53")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// Rounds to the nearest whole number. Negative numbers become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "such a cast saturates")]
pub(crate) fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// Converts a position. It saturates on platforms where a `u64` is longer than a `usize`.
pub(crate) fn index(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// A part of a whole in percent, such as `16.7 %`. A part that is not zero is never shown as `0.0 %`.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    let percent = float(part) * 100.0 / float(whole);
    match part {
        0 => "0 %".to_owned(),
        _ if part == whole => "100 %".to_owned(),
        _ if percent < 0.1 => "<0.1 %".to_owned(),
        _ if percent > 99.9 => ">99.9 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_part_is_not_shown_as_nothing() {
        let shown = [(0, 7), (1, 6), (7, 7), (1, 100_000), (99_999, 100_000), (0, 0)];
        let shown = shown.map(|(part, whole)| percent(part, whole));
        assert_eq!(shown, ["0 %", "16.7 %", "100 %", "<0.1 %", ">99.9 %", "0 %"]);
    }
}
