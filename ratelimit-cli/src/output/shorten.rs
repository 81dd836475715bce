//! Shortens long names.

use super::{Output, safe};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The longest name. A program may make up names.
const LONGEST: usize = 120;

/// A name from a server, as it can be shown.
pub(crate) fn named(name: &str, output: Output) -> String {
    shortened(&safe(name), LONGEST, output.unicode)
}

/// A text of at most `width` columns. A longer one loses its middle, because names are told apart by their ends:
/// `checkout::create_intent` becomes `checkou…e_intent`. A hash loses its end, because `--for` accepts its beginning.
pub(crate) fn shortened(text: &str, width: usize, unicode: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mark = if unicode { "…" } else { ".." };
    let left = width.saturating_sub(mark.width());
    let half = if text.starts_with('#') { left } else { left / 2 };
    let start = within(text.chars(), half);
    let mut end: Vec<char> = within(text.chars().rev(), left - half).chars().collect();
    end.reverse();
    let shortened = format!("{start}{mark}{}", end.into_iter().collect::<String>());
    if shortened.width() <= width { shortened } else { within(text.chars(), width) }
}

/// The first characters that fit.
fn within(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut left = width;
    let fits = |char: &char| match left.checked_sub(char.width().unwrap_or(0)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    chars.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn the_ends_of_a_name_stay() {
        for (text, width, unicode, expected) in [
            ("login", 5, true, "login"),
            ("checkout::create_intent", 16, true, "checkou…e_intent"),
            ("checkout::create_intent", 16, false, "checkou.._intent"),
            ("名名名名", 5, true, "名…名"),
            ("#0123456789abcdef", 9, true, "#0123456…"),
            ("login", 1, true, "…"),
            ("login", 0, true, ""),
            ("login", 1, false, "l"),
        ] {
            let shown = shortened(text, width, unicode);
            assert_eq!(shown, expected, "{text} {width}");
        }
    }
}
