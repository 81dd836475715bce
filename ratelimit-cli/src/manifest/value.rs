//! The value of an argument in the manifest.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A value that is known at compile time, or the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Number(u32),
    /// A word, or a time such as `1h30m`.
    Text(String),
    Expression {
        expression: String,
    },
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn expression(expression: impl Into<String>) -> Self {
        Self::Expression { expression: expression.into() }
    }

    /// Whether two values are certainly different. The values of expressions are unknown.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let known = |value: &Self| !matches!(value, Self::Expression { .. });
        known(self) && known(other) && self != other
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Expression { expression } if expression.contains(' ') => write!(f, "({expression})"),
            Self::Expression { expression } => f.write_str(expression),
        }
    }
}
