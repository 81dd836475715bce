//! Durations, beside a definition of what is one that shares nothing with the attribute's.

use crate::rules::duration::{parse, show};

/// In the order in which they may follow each other.
const UNITS: [&str; 5] = ["d", "h", "m", "s", "ms"];

pub(super) fn run(text: &str) {
    let (parsed, expected) = (parse(text).ok(), meaning(text));
    assert!(parsed == expected, "{text:?} is {parsed:?} and should be {expected:?}");
    if let Some(ms) = parsed.filter(|ms| *ms > 0) {
        let shown = show(ms);
        assert!(meaning(&shown) == Some(ms), "{ms} ms are shown as {shown}");
    }
}

/// The milliseconds, where a text is a duration: numbers, each with a unit, the larger units first, and any space
/// between a number and its unit, and around both.
fn meaning(text: &str) -> Option<u64> {
    let mut total = 0_u128;
    let mut next_unit = 0;
    let mut characters = text.chars().filter(|c| !c.is_whitespace()).peekable();
    characters.peek()?;
    while characters.peek().is_some() {
        let mut number = None;
        while let Some(digit) = characters.peek().and_then(|c| c.to_digit(10)) {
            // More than any sum can be: what follows makes no difference.
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

/// No space inside of a number or of a unit.
fn is_spaced_well(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).all(|pair| {
        let (before, after) = (pair[0].chars().next_back(), pair[1].chars().next());
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        digit(before) != digit(after)
    })
}
