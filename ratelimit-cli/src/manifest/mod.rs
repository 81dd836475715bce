//! The manifest: every limit in the sources, with what is known about it at compile time. Its JSON form has a version.

mod change;
mod clash;
mod file;
mod markdown;
mod table;
mod value;

pub(crate) use change::changes;
pub(crate) use clash::clashes;
pub(crate) use file::{ReadError, read, write};
pub(crate) use markdown::markdown;
pub(crate) use table::table;
pub(crate) use value::Value;

use crate::sources::needs_test;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the JSON form. Fields may be added to a version, but not changed or removed.
pub(crate) const VERSION: u32 = 1;

/// All limits, and what is wrong with the sources.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    pub(crate) limits: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

/// One limit: one attribute of one function. Fields without a value are arguments that the attribute does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Whether the name is the attribute's `key`, not the path of the function.
    #[serde(skip)]
    pub(crate) has_key: bool,
    pub(crate) package: String,
    /// `lib`, or the kind and name of the target, such as `bin shop`.
    pub(crate) target: String,
    /// The path of the function, with the type of a method.
    pub(crate) function: String,
    /// Relative to the workspace, with slashes.
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// The condition under which the attribute is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cfg: Option<String>,
    #[serde(flatten)]
    pub(crate) numbers: Numbers,
    pub(crate) by: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) skip_if: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) charge_if: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refund_if: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settle: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shadow: Option<Value>,
    /// `local`, `allow` or `deny`. Without a value, the limiter's policy applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) on_error: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limiter: Option<Value>,
    /// The override that a server has for the name.
    #[serde(default, rename = "override", skip_serializing_if = "Option::is_none")]
    pub(crate) overridden: Option<String>,
    /// The overrides that a server has for single identities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) identity_overrides: Vec<String>,
}

/// The numbers of a limit, or the expression whose value is the whole limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) algorithm: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) burst: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refill: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) borrow: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wait: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lease: Option<Value>,
}

/// Something that makes the manifest incomplete or wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A file cannot be read or parsed. Its limits are missing.
    Source,
    /// An attribute has an error, which the compiler reports as well. Its limits are missing.
    Attribute,
    /// Two functions share a name and have different limits.
    Clash,
    /// An override is for a name that no limit has.
    Override,
}

impl Entry {
    /// The limit as text, as in `counter count=5 time=1m`.
    pub(crate) fn limit(&self) -> String {
        self.numbers.to_string()
    }

    /// Who is limited, with words in quotes, as in the attribute.
    pub(crate) fn caller(&self) -> String {
        let values = self.by.iter().map(|value| match value {
            Value::Text(word) => format!("\"{word}\""),
            other => other.to_string(),
        });
        let values: Vec<String> = values.collect();
        values.join(", ")
    }

    /// The file and the line, as far as it is known.
    pub(crate) fn place(&self) -> String {
        place(&self.file, self.line)
    }

    /// What a shadow limit adds to the text of the limit. One that depends on the call is not always enforced, either.
    pub(crate) fn shadow_note(&self) -> &'static str {
        match self.shadow {
            None => "",
            Some(Value::Expression { .. }) => " (maybe shadow)",
            Some(_) => " (shadow)",
        }
    }

    /// The names that calls of the limit can have: a limit whose `shadow` is an expression has two.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        let shadow = matches!(self.shadow, Some(Value::Expression { .. }));
        [self.name.clone()].into_iter().chain(shadow.then(|| format!("{}/shadow", self.name)))
    }

    /// Whether the limit belongs to a test or a benchmark, each of which usually has a limiter of its own.
    pub(crate) fn is_of_a_test(&self) -> bool {
        let kind = self.target.split_once(' ').map_or(self.target.as_str(), |(kind, _)| kind);
        matches!(kind, "test" | "bench") || self.cfg.as_deref().is_some_and(needs_test)
    }

    /// All overrides in a few words. `None` if there are none.
    pub(crate) fn overrides(&self) -> Option<String> {
        let of_identities = match &self.identity_overrides[..] {
            [] => None,
            [change] => Some(format!("one identity: {change}")),
            changes => Some(format!("{} identities: {}", changes.len(), changes.join(", "))),
        };
        let all: Vec<String> = self.overridden.iter().cloned().chain(of_identities).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The entry without what changes although the limit does not.
    pub(crate) fn lasting(&self) -> Self {
        Self { line: None, overridden: None, identity_overrides: Vec::new(), ..self.clone() }
    }
}

impl Numbers {
    /// The arguments of the limit in the order of its text, without the algorithm.
    pub(crate) fn arguments(&self) -> [(&'static str, Option<&Value>); 7] {
        [
            ("count", self.count.as_ref()),
            ("time", self.time.as_ref()),
            ("burst", self.burst.as_ref()),
            ("refill", self.refill.as_ref()),
            ("borrow", self.borrow.as_ref()),
            ("wait", self.wait.as_ref()),
            ("lease", self.lease.as_ref()),
        ]
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(limit) = &self.limit {
            return write!(f, "{limit}");
        }
        if let Some(algorithm) = &self.algorithm {
            write!(f, "{algorithm}")?;
        }
        let given = self.arguments().into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (name, value) in given {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", place(file, self.line))?;
        }
        f.write_str(&self.message)
    }
}

fn place(file: &str, line: Option<usize>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}
