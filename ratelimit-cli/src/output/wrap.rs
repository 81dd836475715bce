//! Breaks long lines between words.

use unicode_width::UnicodeWidthStr as _;

/// Breaks a text that begins at the column `indent` into lines of at most `columns`, which all begin there. A longer word has a
/// line of its own. Without a number of columns, the text stays one line.
pub(crate) fn wrapped(text: &str, indent: usize, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let (mut lines, mut at) = (String::new(), indent);
    for word in text.split(' ') {
        let width = word.width();
        if at > indent && at + 1 + width > columns {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            at = indent;
        } else if at > indent {
            lines.push(' ');
            at += 1;
        }
        lines.push_str(word);
        at += width;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 2, Some(9)), "one two\n  three");
        assert_eq!(wrapped("one two three", 2, Some(15)), "one two three");
        assert_eq!(wrapped("one two three", 2, None), "one two three");
        assert_eq!(wrapped("longer_than_a_line a b", 4, Some(8)), "longer_than_a_line\n    a b");
    }
}
