//! Shortens long names.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A text of at most `width` columns. A longer one loses its middle, because names are told apart by their ends:
/// `checkout::create_intent` becomes `checkou…e_intent`.
pub(crate) fn shortened(text: &str, width: usize, unicode: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mark = if unicode { "…" } else { ".." };
    let left = width.saturating_sub(mark.width());
    let start = within(text.chars(), left / 2);
    let mut end: Vec<char> = within(text.chars().rev(), left - left / 2).chars().collect();
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
            ("login", 1, true, "…"),
            ("login", 0, true, ""),
            ("login", 1, false, "l"),
        ] {
            let shown = shortened(text, width, unicode);
            assert_eq!(shown, expected, "{text} {width}");
        }
    }
}
