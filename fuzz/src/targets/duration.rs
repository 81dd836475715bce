//! Fuzz target `duration`: compares the parser of durations with an independent definition.

use ratelimit_limit::rules::duration::{parse, show};

/// The units, in the order in which they may be written.
const UNITS: [&str; 5] = ["d", "h", "m", "s", "ms"];

pub(super) fn run(text: &str) {
    let (parsed, expected) = (parse(text).ok(), definition(text));
    assert!(parsed == expected, "{text:?} is parsed as {parsed:?}, expected {expected:?}");
    if let Some(ms) = parsed.filter(|ms| *ms > 0) {
        let shown = show(ms);
        assert!(definition(&shown) == Some(ms), "{ms} ms are shown as {shown}");
    }
}

/// Returns the milliseconds of a text, or `None` if the text is not a duration. A duration consists of numbers with units, the
/// larger units first. White space is allowed between the numbers and units, and around them.
fn definition(text: &str) -> Option<u64> {
    let mut total = 0_u128;
    let mut next_unit = 0;
    let mut characters = text.chars().filter(|c| !c.is_whitespace()).peekable();
    characters.peek()?;
    while characters.peek().is_some() {
        let mut number = None;
        while let Some(digit) = characters.peek().and_then(|c| c.to_digit(10)) {
            // This bound is above any valid sum, so more digits make no difference.
            let before = number.unwrap_or(0_u128).min(1 << 80);
            number = Some(before * 10 + u128::from(digit));
            characters.next();
        }
        let mut unit = String::new();
        while let Some(letter) = characters.next_if(|c| c.to_digit(10).is_none()) {
            unit.push(letter);
        }
        let at = UNITS.iter().position(|known| *known == unit).filter(|at| *at >= next_unit)?;
        next_unit = at + 1;
        let length = [86_400_000, 3_600_000, 60_000, 1000, 1][at];
        total = total.saturating_add(number?.saturating_mul(length));
    }
    is_spaced_well(text).then(|| u64::try_from(total).unwrap_or(u64::MAX))
}

/// Whether there is no white space inside a number or a unit.
fn is_spaced_well(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).all(|pair| {
        let (before, after) = (pair[0].chars().next_back(), pair[1].chars().next());
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        digit(before) != digit(after)
    })
}
