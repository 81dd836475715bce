//! Who is limited: words that have a meaning, or values of the function.

use super::string;
use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::Identity;
use crate::suggest::nearest;
use syn::Expr;

pub(super) fn by(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Vec<Identity> {
    match arguments.value("by") {
        None => Vec::new(),
        Some(Expr::Tuple(tuple)) if !tuple.elems.is_empty() => {
            let elements = tuple.elems.iter();
            elements.filter_map(|value| identity(value, &["ip"], item, errors)).collect()
        }
        Some(value) => identity(value, &["ip", "global"], item, errors).into_iter().collect(),
    }
}

/// One element of who is limited, where some words have a meaning.
fn identity(value: &Expr, words: &[&str], item: &Item, errors: &mut Errors) -> Option<Identity> {
    if let Some(literal) = string(value) {
        match literal.value().as_str() {
            "ip" => return Some(Identity::Ip(literal.span())),
            "global" if words.contains(&"global") => {}
            other => errors.on(literal, unknown_word(other, words)),
        }
        return None;
    }
    if let Expr::Lit(_) = value {
        errors.on(
            value,
            "a constant in `by` is the same for every caller: write a value that differs, as in `by = user.id`",
        );
        return None;
    }
    if let Expr::Path(path) = value
        && let Some(word) = path.path.get_ident().filter(|ident| words.iter().any(|word| ident == word))
        && item.unknown_name(word).is_some()
    {
        errors.on(value, format!("`{word}` in `by` needs quotes: write `by = \"{word}\"`"));
        return None;
    }
    Some(Identity::Value(value.clone()))
}

fn unknown_word(found: &str, words: &[&str]) -> String {
    if let Some(word) = nearest(found, words.iter().copied()) {
        return format!("unknown identity `{found}`; did you mean `{word}`?");
    }
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let words = words.join(", ");
    format!("unknown identity `{found}`; expected {words} or an expression, as in `by = user.id`")
}
