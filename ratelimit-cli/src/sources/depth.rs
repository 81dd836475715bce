//! Measures how deeply the code of a file is nested. The parser calls itself for each level, and its stack is bounded.

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};
use std::iter::Peekable;

/// The maximum number of levels. In a build without optimizations, each level takes up to 30 kB of the stack.
const MOST: usize = 4096;

struct Group {
    tokens: Peekable<token_stream::IntoIter>,
    /// The level at the start of the group.
    start: usize,
    /// The level after the end of the group.
    end: usize,
}

/// Whether the tokens are nested so deeply that they cannot be parsed.
///
/// Each token may begin a level: a bracket, a prefix as in `!!!a`, or an operand as in `a = b = c`. A separator, and also a
/// block, ends all levels since the previous separator.
pub(super) fn is_too_deep(tokens: TokenStream) -> bool {
    let mut level = 0;
    let mut around = vec![Group { tokens: tokens.into_iter().peekable(), start: 0, end: 0 }];
    while let Some(group) = around.last_mut() {
        match group.tokens.next() {
            None => {
                level = group.end;
                around.pop();
                continue;
            }
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), ';' | ',') => level = group.start,
            Some(TokenTree::Group(found)) => {
                let goes_on = matches!(group.tokens.peek(), Some(TokenTree::Ident(word)) if word == "else");
                let is_block = found.delimiter() == Delimiter::Brace && !goes_on;
                let end = if is_block { group.start } else { level + 1 };
                level += 1;
                let tokens = found.stream().into_iter().peekable();
                around.push(Group { tokens, start: level, end });
            }
            Some(_) => level += 1,
        }
        if level > MOST {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_of_all_kinds_is_counted_and_length_is_not() {
        let is_too_deep = |text: String| is_too_deep(text.parse().unwrap());
        let nested = |open: &str, close: &str, times: usize| {
            format!("fn f() {{ {}1{} }}", open.repeat(times), close.repeat(times))
        };
        for (open, close) in [
            ("(", ")"),
            ("!", ""),
            ("a = ", ""),
            ("if a {} else ", ""),
            ("Vec<", ">"),
            ("[1, ", "]"),
            ("{", "}"),
        ] {
            assert!(is_too_deep(nested(open, close, 60_000)), "{open}");
            assert!(!is_too_deep(nested(open, close, 500)), "{open}");
        }
        for line in ["fn f() { a(1); }\n", "const A: u8 = 1;\n", "f(1, 2);", "if a { b } else { c }"] {
            assert!(!is_too_deep(line.repeat(20_000)), "{line}");
        }
        assert!(!is_too_deep(format!("const A: [u8; 9] = [{}];", "1, -2, ".repeat(20_000))));
    }
}
