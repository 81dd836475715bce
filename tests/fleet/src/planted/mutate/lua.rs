//! The places of a script that can be mutated. A line is one statement in most cases, so this needs no parser.

use super::Place;

/// Operators and their replacements.
const OPERATORS: [(&str, &str); 14] = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " ~= "),
    (" ~= ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    (" / ", " * "),
    (" % ", " * "),
    (" and ", " or "),
    (" or ", " and "),
    ("not ", ""),
];

pub(super) fn places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = masked(line);
        let indent = code.len() - code.trim_start().len();
        for (from, to) in OPERATORS {
            for (start, _) in code.match_indices(from) {
                places.push(place(
                    at + start,
                    from,
                    to,
                    format!("`{}` becomes `{}`", from.trim(), to.trim()),
                ));
            }
        }
        for (start, number) in numbers(&code) {
            let more = number.parse::<u64>().map_or(0, |number| number + 1);
            places.push(place(at + start, number, &more.to_string(), format!("{number} becomes {more}")));
        }
        let statement = code.trim();
        if is_statement(statement) {
            let shown = &line[indent..indent + statement.len()];
            places.push(place(at + indent, shown, "", format!("`{shown}` is deleted")));
        }
        for (start, word) in ["if ", "elseif "].into_iter().filter_map(|word| Some((code.find(word)?, word)))
        {
            let rest = &code[start + word.len()..];
            let is_word = start == indent;
            if let Some(end) = rest.find(" then").filter(|_| is_word) {
                let condition = &line[start + word.len()..start + word.len() + end];
                let to = format!("not ({condition})");
                places.push(place(at + start + word.len(), condition, &to, format!("not ({condition})")));
            }
        }
        at += line.len();
    }
    places
}

fn place(at: usize, from: &str, to: &str, what: String) -> Place {
    Place { at, from: from.to_owned(), to: to.to_owned(), what }
}

/// Replaces the comment and the texts of a line by spaces.
fn masked(line: &str) -> String {
    let code = line.find("--").map_or(line, |comment| &line[..comment]);
    let mut is_text = false;
    let mask = |letter: char| {
        is_text ^= letter == '"';
        if is_text || letter == '"' { '_' } else { letter }
    };
    code.chars().map(mask).collect()
}

/// The integers of a line that are not parts of names, each with its position.
fn numbers(code: &str) -> Vec<(usize, &str)> {
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_name = start > 0 && is_part(bytes.get(start - 1)) || is_part(bytes.get(start + length));
        if length > 0 && !is_name {
            found.push((start, &code[start..start + length]));
        }
        start += length.max(1);
    }
    found
}

/// Whether a line is an assignment to an existing variable, or a call of a function.
fn is_statement(line: &str) -> bool {
    let begins = ["local ", "if ", "for ", "while ", "return ", "function ", "else", "end", "--", "until "];
    let is_open = line.matches(['(', '{']).count() != line.matches([')', '}']).count();
    let is_assignment = line.contains(" = ") && !line.ends_with(['=', ',']) && !line.contains(" then");
    let is_call = line.starts_with("call(") || line.starts_with("attempt(") || line.starts_with("add(");
    !begins.iter().any(|begin| line.starts_with(begin))
        && !is_open
        && !line.contains(" do ")
        && !line.starts_with('{')
        && (is_assignment || is_call)
        && !line.ends_with(" and")
        && !line.ends_with(" or")
}
