//! Checks arguments whose value is one of a few words.

use super::checker::Checker;
use super::literal::{boolean, integer, string};
use crate::suggest::suggest;
use syn::Expr;

/// Words of other libraries. Each group has a text that follows "here it " in the message.
pub(super) type Foreign = &'static [(&'static [&'static str], &'static str)];

impl Checker<'_> {
    /// Reads an argument whose value must be one of `words`.
    pub(super) fn word(&mut self, name: &str, words: &[&str], foreign: Foreign) -> Option<String> {
        let value = self.value(name)?;
        let Some(literal) = string(value) else {
            let known = bare_word(value).and_then(|word| translated(&word, foreign));
            self.error(
                value,
                known.map_or_else(
                    || not_a_word(name, words, value),
                    |ours| format!("`{name}` takes a word in quotes, and here it {ours}"),
                ),
            );
            return None;
        };
        let found = literal.value();
        if words.contains(&found.as_str()) {
            return Some(found);
        }
        let hint = match translated(&found, foreign) {
            Some(ours) => format!(": here it {ours}"),
            None => suggest(&found, words.iter().copied()),
        };
        self.error(literal, format!("unknown {name} `{found}`{hint}"));
        None
    }
}

fn translated(found: &str, foreign: Foreign) -> Option<&'static str> {
    let plain = found.to_lowercase().replace(['-', ' '], "_");
    foreign.iter().find(|(words, _)| words.contains(&plain.as_str())).map(|(_, ours)| *ours)
}

/// Reads a word that was written without quotes.
fn bare_word(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => boolean(value).map(|word| word.to_string()),
    }
}

fn not_a_word(name: &str, words: &[&str], value: &Expr) -> String {
    if name == "refill" && integer(value).is_some() {
        return "`refill` must be `\"greedy\"` or `\"interval\"`: write the number of tokens as `count`"
            .to_owned();
    }
    if let Some(word) = bare_word(value).filter(|word| words.contains(&word.as_str())) {
        return format!("`{name}` takes a word in quotes: write `{name} = \"{word}\"`");
    }
    let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
    format!("`{name}` must be one of {}", words.join(", "))
}
