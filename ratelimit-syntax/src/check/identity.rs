//! Checks `by`: predefined words such as `ip`, or values of the function.

use super::checker::Checker;
use super::literal::string;
use crate::model::{Identity, RequestPart};
use crate::suggest::nearest;
use quote::ToTokens;
use syn::{Expr, LitStr};

/// Words of other libraries, each group with the word of this library.
const FOREIGN: [(&[&str], &str); 4] = [
    (
        &["client_ip", "remote_addr", "remote_address", "peer", "address", "ip_address", "client", "origin"],
        "ip",
    ),
    (&["user_id", "account", "session", "principal", "sub", "username"], "user"),
    (&["api_key", "apikey", "api-key", "x-api-key", "token"], "header:x-api-key"),
    (&["none", "all", "everyone", "everybody", "shared", "service", "total"], "global"),
];

impl Checker<'_> {
    pub(super) fn by(&mut self) -> Option<Vec<Identity>> {
        Some(match self.value("by")? {
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let values = tuple.elems.iter();
                values.filter_map(|value| self.identity(value, &["ip", "user"])).collect()
            }
            value => self.identity(value, &["ip", "user", "global"]).into_iter().collect(),
        })
    }

    /// Reads one value of the identity. `words` are the predefined words that it may be.
    fn identity(&mut self, value: &Expr, words: &[&str]) -> Option<Identity> {
        if let Some(literal) = string(value) {
            return self.by_word(literal, words);
        }
        if let Some(wrong) = wrong_form(value) {
            self.error(value, wrong);
            return None;
        }
        if let Expr::Lit(_) = value {
            self.error(
            value,
            "a constant in `by` is the same for every caller: write a value that differs, as in `by = user.id`",
        );
            return None;
        }
        if let Expr::Path(path) = value
            && let Some(word) = path.path.get_ident().filter(|ident| words.iter().any(|word| ident == word))
            && self.item.unknown_name(word).is_some()
        {
            self.error(value, format!("`{word}` in `by` needs quotes: write `by = \"{word}\"`"));
            return None;
        }
        Some(Identity::Value(value.clone()))
    }

    fn by_word(&mut self, literal: &LitStr, words: &[&str]) -> Option<Identity> {
        let (word, span) = (literal.value(), self.item.place(literal.span()));
        match word.as_str() {
            "ip" => return Some(Identity::Part(RequestPart::Ip, span)),
            "user" => return Some(Identity::Part(RequestPart::User, span)),
            "global" if words.contains(&"global") => return None,
            "global" => {
                self.error(
                    literal,
                    "`global` has no effect in a tuple, which limits each combination of its values: remove it",
                );
                return None;
            }
            _ => {}
        }
        let ("header" | "headers", name) = word.split_once(':').unwrap_or((&word, "")) else {
            self.error(literal, unknown_word(&word, words));
            return None;
        };
        let name = name.trim();
        if name.is_empty() {
            self.error(literal, "`header:` needs the name of a header, as in `by = \"header:x-api-key\"`");
        } else if !name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)) {
            self.error(
                literal,
                format!(
                    "`{name}` is not the name of a header; expected one name, as in `by = \"header:x-api-key\"`"
                ),
            );
        } else {
            return Some(Identity::Part(RequestPart::Header(name.to_ascii_lowercase()), span));
        }
        None
    }
}

/// Explains why an expression is not accepted in `by`: it is not a value, or it hides the type of the value.
pub(super) fn wrong_form(value: &Expr) -> Option<String> {
    match value {
        Expr::Array(_) => Some(
            "`by` takes several values as a tuple: write parentheses, as in `by = (\"ip\", user.id)`"
                .to_owned(),
        ),
        Expr::Closure(_) => Some("`by` takes no closure: write the value, as in `by = user.id`".to_owned()),
        Expr::MethodCall(call) if call.method == "to_string" && call.args.is_empty() => {
            let receiver = call.receiver.to_token_stream().to_string().replace(' ', "");
            Some(format!(
                "`to_string()` hides the type of the value, and so would count the port of an address: write `by = {receiver}`; if its type has no `Display`, write `by = {receiver}.to_string().as_str()`"
            ))
        }
        _ => None,
    }
}

fn unknown_word(found: &str, words: &[&str]) -> String {
    if let Some(word) = nearest(found, words.iter().copied()) {
        return format!("unknown identity `{found}`; did you mean `{word}`?");
    }
    let plain = found.to_lowercase();
    if let Some((_, ours)) = FOREIGN.iter().find(|(foreign, _)| foreign.contains(&plain.as_str()))
        && (*ours != "global" || words.contains(ours))
    {
        return format!("unknown identity `{found}`: write `\"{ours}\"` instead");
    }
    let words: Vec<String> =
        words.iter().copied().chain(["header:.."]).map(|word| format!("`{word}`")).collect();
    let words = words.join(", ");
    format!("unknown identity `{found}`; expected {words} or an expression, as in `by = user.id`")
}
