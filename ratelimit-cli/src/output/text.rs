//! Numbers, times, names and identities as text.

use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::observe::IdentityHash;
use ratelimit::store::StoredKey;
use ratelimit::{Error, Key, RateLimiter};
use std::fmt::Write as _;
use std::time::Duration;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The maximum length of a name, because a program may make up names.
const LONGEST: usize = 120;

/// A whole number with spaces between groups of three digits.
pub(crate) fn number(number: u64) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{} {rest:03}", self::number(thousands)),
    }
}

/// A whole number with at most five characters: `9999`, `12.3k`, `4567M`.
pub(crate) fn short(number: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")];
    if number < 10_000 {
        return number.to_string();
    }
    let unit = UNITS.into_iter().find(|(size, _)| number >= *size);
    let (size, letter) = unit.unwrap_or((1, ""));
    if number < 100 * size {
        return format!("{}.{}{letter}", number / size, number % size * 10 / size);
    }
    format!("{}{letter}", number / size)
}

/// A number with its noun: `1 key`, `2 keys`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", number(count))
}

/// A time with its two largest units, rounded up to a whole second above 10 s.
pub(crate) fn duration(time: Duration) -> String {
    let ms = milliseconds(time);
    if ms < 1000 {
        return format!("{ms} ms");
    }
    if ms < 10_000 {
        return format!("{}.{} s", ms / 1000, ms % 1000 / 100);
    }
    let s = ms.div_ceil(1000);
    match (s / 86_400, s / 3600 % 24, s / 60 % 60, s % 60) {
        (0, 0, 0, s) => format!("{s} s"),
        (0, 0, m, s) => format!("{m} m {s} s"),
        (0, h, m, _) => format!("{h} h {m} m"),
        (d, h, ..) => format!("{d} d {h} h"),
    }
}

/// A time in whole milliseconds.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A text from a server, in which characters that would change the terminal are escaped.
pub(crate) fn safe(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() || is_direction(char) {
            // A write to a string never fails.
            let _ = write!(shown, "{}", char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Whether a character changes the direction of the text after it.
const fn is_direction(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The identities and parts of a key, or their hashes. Hooks and messages of the library show the same hash of an identity.
pub(crate) fn identity(limiter: &RateLimiter, key: &StoredKey, in_clear: bool) -> String {
    let hash = |found: Result<Option<IdentityHash>, Error>| found.ok().flatten().map(|hash| hash.to_string());
    let identities: Vec<&str> = key.identities().collect();
    let shown = match (identities.is_empty(), in_clear) {
        (true, _) => None,
        (false, true) => Some(identities.join(",")),
        (false, false) => hash(limiter.identity_hash(key)),
    };
    let mut shown = shown.unwrap_or_else(|| "(everybody)".to_owned());
    for part in key.parts() {
        shown.push('=');
        if in_clear {
            shown.push_str(part);
        } else {
            shown.extend(hash(limiter.identity_hash(Key::new("part").by(Written(part)))));
        }
    }
    safe(&shown)
}

/// A value in the form in which a key contains it.
struct Written<'k>(&'k str);

impl Identity for Written<'_> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.written(self.0);
    }
}

/// A name from a server, shortened and safe to show.
pub(crate) fn named(name: &str) -> String {
    shortened(&safe(name), LONGEST)
}

/// Shortens a text to `width` columns. A name loses its middle, because names differ at their ends: `checkout::create_intent`
/// becomes `checkou…e_intent`. A hash loses its end, because `--for` accepts its beginning.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(left) = width.checked_sub(1) else { return String::new() };
    let half = if text.starts_with('#') { left } else { left / 2 };
    let start = within(text.chars(), half);
    let end: String = within(text.chars().rev(), left - half).chars().rev().collect();
    format!("{start}…{end}")
}

/// The first characters that fit into `width` columns.
fn within(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut left = width;
    let fits = |char: char| {
        left = left.checked_sub(char.width().unwrap_or(0))?;
        Some(char)
    };
    chars.map_while(fits).collect()
}

/// A bar of `width` characters that shows a share from 0 to 1. If the share is not 0, the bar is not empty.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let eighths = ((share * (width * 8) as f64).round() as usize).max(usize::from(share > 0.0));
    let (full, rest) = (eighths / 8, eighths % 8);
    let part = if rest > 0 { &EIGHTHS[rest - 1..rest] } else { &[] };
    let missing = width.saturating_sub(full + part.len());
    format!("{}{}{}", "█".repeat(full), part.iter().collect::<String>(), "░".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_short() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1 000", "1 234 567"]);
        let shown = [9999, 12_345, 123_456, 4_567_000, u64::from(u32::MAX)].map(short);
        assert_eq!(shown, ["9999", "12.3k", "123k", "4.5M", "4.2G"]);
        assert_eq!((plural(1, "key"), plural(1500, "key")), ("1 key".to_owned(), "1 500 keys".to_owned()));
        for (ms, text) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1500, "1.5 s"),
            (10_001, "11 s"),
            (61_000, "1 m 1 s"),
            (3_600_000, "1 h 0 m"),
            (90_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(Duration::from_millis(ms)), text);
        }
    }

    #[test]
    fn a_name_cannot_change_the_terminal() {
        assert_eq!(safe("a\x1b[31m\u{202e}名"), "a\\u{1b}[31m\\u{202e}名");
    }

    #[test]
    fn an_identity_is_a_hash_unless_it_is_asked_for() {
        let limiter = RateLimiter::in_memory();
        let shown = |key: &str, in_clear| {
            identity(&limiter, &StoredKey::parse("p", key.as_bytes()).unwrap(), in_clear)
        };
        let hash = limiter.identity_hash(Key::new("any").by("al ice")).unwrap().unwrap().to_string();
        assert_eq!(shown("p:{al%20ice}:n:c2", false), hash, "as a hook receives it");
        let hashed = shown("p:{al%20ice}:n=pdf:c2", false);
        assert!(hashed.starts_with(&format!("{hash}=#")) && hashed.len() == 67, "{hashed}");
        assert_eq!(shown("p:{al%20ice}:n=pdf:c2", true), "al%20ice=pdf");
        assert_eq!(shown("p:{n}:c2", false), "(everybody)");
        let stored = "#0123456789abcdef0123456789abcdef";
        assert_eq!(shown(&format!("p:{{{stored}}}:n:c2"), false), stored, "the store has the hash only");
    }

    #[test]
    fn the_ends_of_a_name_stay() {
        for (text, width, expected) in [
            ("login", 5, "login"),
            ("checkout::create_intent", 16, "checkou…e_intent"),
            ("名名名名", 5, "名…名"),
            ("#0123456789abcdef", 9, "#0123456…"),
            ("login", 1, "…"),
            ("login", 0, ""),
        ] {
            assert_eq!(shortened(text, width), expected, "{text} {width}");
        }
    }

    #[test]
    fn a_bar_has_its_width() {
        let shares = [0.0, 0.001, 0.5, 0.6, 1.0, 7.0, f64::NAN];
        let bars = ["░░░░", "▏░░░", "██░░", "██▍░", "████", "████", "░░░░"];
        assert_eq!(shares.map(|share| bar(share, 4)), bars);
    }
}
