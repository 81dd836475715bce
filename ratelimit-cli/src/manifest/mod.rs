//! The manifest: every limit in the sources, with the arguments of its attribute. Its JSON form has a version.

mod change;
mod file;
mod handler;
mod table;

pub(crate) use change::changes;
pub(crate) use file::{read, write};
pub(crate) use handler::{Handler, METHODS};
pub(crate) use table::table;

use ratelimit_syntax::model::Number;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;

/// The version of the JSON form. Fields may be added to a version, but not changed or removed.
pub(crate) const VERSION: u32 = 1;

/// All limits, and the problems of the sources.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    pub(crate) limits: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

/// One limit: one attribute of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Whether the name comes from the attribute's `key`, and not from the path of the function.
    #[serde(skip)]
    pub(crate) has_key: bool,
    /// The operation of the function.
    #[serde(skip)]
    pub(crate) handler: Handler,
    pub(crate) package: String,
    /// `lib`, or the kind and name of the target, such as `bin shop`.
    pub(crate) target: String,
    /// The path of the function, with the type of a method.
    pub(crate) function: String,
    /// The path of the file, relative to the workspace, with slashes.
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// The condition under which the attribute is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cfg: Option<String>,
    /// The arguments that the attribute has, by name. A value is a number, a text, the object of [`expression`], or an array of
    /// these.
    #[serde(flatten)]
    pub(crate) arguments: Map<String, Value>,
}

/// A reason why the manifest is incomplete or wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A file cannot be read or parsed, so its limits are missing.
    Source,
    /// An attribute has an error, so its limits are missing. The compiler reports the same error.
    Attribute,
    /// Two functions share a name and have different limits.
    Clash,
}

/// The JSON value of an argument that is an expression, whose value is unknown at compile time.
pub(crate) fn expression(text: impl Into<String>) -> Value {
    json!({ "expression": text.into() })
}

/// A value as text. An expression of several words is in brackets.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let text = fields.get("expression").and_then(Value::as_str).unwrap_or_default();
            if text.contains(' ') { format!("({text})") } else { text.to_owned() }
        }
        other => other.to_string(),
    }
}

impl Entry {
    /// The limit as text, as in `counter count=5 time=1m`, or the expression whose value is the whole limit.
    pub(crate) fn limit(&self) -> String {
        if let Some(limit) = self.arguments.get("limit") {
            return shown(limit);
        }
        let numbers = Number::ALL.into_iter().filter_map(|number| {
            let name = number.as_str();
            let value = self.arguments.get(name)?;
            let value = match value {
                Value::Array(steps) => steps.iter().map(shown).collect::<Vec<_>>().join(","),
                one => shown(one),
            };
            Some(format!(" {name}={value}"))
        });
        self.arguments.get("algorithm").map(shown).into_iter().chain(numbers).collect()
    }

    /// The identities that are limited, with words in quotes, as in the attribute.
    pub(crate) fn caller(&self) -> String {
        let values = self.arguments.get("by").and_then(Value::as_array).into_iter().flatten();
        let values = values.map(|value| match value {
            Value::String(word) => format!("\"{word}\""),
            other => shown(other),
        });
        values.collect::<Vec<_>>().join(", ")
    }

    /// The failure policy. `None`: the policy of the limiter applies.
    pub(crate) fn on_error(&self) -> Option<String> {
        self.arguments.get("on_error").map(shown)
    }

    /// The file and the line, as far as it is known.
    pub(crate) fn place(&self) -> String {
        place(&self.file, self.line)
    }

    /// The remark about a shadow limit. `(maybe shadow)` means that each call decides whether the limit is enforced.
    pub(crate) fn shadow_note(&self) -> &'static str {
        match self.arguments.get("shadow") {
            None => "",
            Some(condition) if condition.is_object() => " (maybe shadow)",
            Some(_) => " (shadow)",
        }
    }

    /// The entry without its line number, because that number also changes if only the code above the limit changes.
    pub(crate) fn lasting(&self) -> Self {
        Self { line: None, ..self.clone() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", place(&self.file, self.line), self.message)
    }
}

fn place(file: &str, line: Option<usize>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}
