//! Describes the limit of one attribute: its numbers, or an expression for the whole limit.

use proc_macro2::Span;
use ratelimit_limit::rules::numbers::Numbers;
use ratelimit_limit::rules::{Algorithm, Number, duration};
use syn::Expr;
use syn::spanned::Spanned;

pub enum Limit {
    /// A limit given by its numbers.
    Numbers(Box<LimitNumbers>),
    /// An expression of the user for a whole `Limit`, evaluated at each call.
    Value(Expr),
}

/// The numbers of a limit.
pub struct LimitNumbers {
    pub algorithm: Algorithm,
    /// The given numbers with their values, in the order of [`Number::ALL`]. `count` and `time` are always among them.
    pub given: Vec<(Number, Value)>,
}

/// The value of a number.
pub enum Value {
    Units(u32, Span),
    Millis(u64, Span),
    /// A word: a calendar window, a zone, `interval` or `auto`.
    Word(String, Span),
    /// The steps of a block.
    Steps(Vec<Self>),
    /// An expression of the user.
    Written(Expr, KnownAt),
}

/// When the value of an expression is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownAt {
    /// A literal, or a path to a constant.
    CompileTime,
    /// A constant of `Self` or of a type parameter, known when the function is instantiated.
    Instantiation,
    /// Any other expression, known at each call.
    Call,
}

impl Limit {
    /// When all numbers of the limit are known.
    pub fn known(&self) -> KnownAt {
        match self {
            Self::Numbers(numbers) => Value::all_known(numbers.given.iter().map(|(_, value)| value)),
            Self::Value(_) => KnownAt::Call,
        }
    }

    /// Whether the limit certainly is a concurrency limit.
    pub fn is_of_permits(&self) -> bool {
        matches!(self, Self::Numbers(numbers) if numbers.algorithm.is_concurrency())
    }

    pub fn may_be_permits(&self) -> bool {
        matches!(self, Self::Value(_)) || self.is_of_permits()
    }
}

impl LimitNumbers {
    pub fn get(&self, number: Number) -> Option<&Value> {
        self.given.iter().find(|(given, _)| *given == number).map(|(_, value)| value)
    }

    /// The value of a number that is a literal of units.
    pub fn units(&self, number: Number) -> Option<u32> {
        match self.get(number)? {
            Value::Units(units, _) => Some(*units),
            _ => None,
        }
    }

    /// The number that bounds what the limit can hold.
    pub fn held(&self) -> Number {
        if self.get(Number::Burst).is_some() { Number::Burst } else { Number::Count }
    }

    /// The most units that the limit can hold, if its numbers are literals.
    pub fn capacity(&self) -> Option<u32> {
        let borrow = if self.get(Number::Borrow).is_some() { self.units(Number::Borrow)? } else { 0 };
        Some(self.units(self.held())?.saturating_add(borrow))
    }

    /// The numbers, where one unit and one second stand for values that are known later.
    pub fn assumed(&self) -> Numbers {
        self.given.iter().fold(Numbers::new(self.algorithm, 1, 1000), |numbers, (number, value)| {
            let stand_in = || if number.takes().is_time() { "1s" } else { "1" }.to_owned();
            let mut read = numbers;
            // A wrong value has its own error.
            let _ = number.read(&value.text().unwrap_or_else(stand_in), &mut read);
            number.copy(&read, numbers)
        })
    }

    /// The numbers, if all of them are literals.
    pub fn literals(&self) -> Option<Numbers> {
        self.given.iter().all(|(_, value)| value.text().is_some()).then(|| self.assumed())
    }
}

impl Value {
    fn all_known<'v>(all: impl Iterator<Item = &'v Self>) -> KnownAt {
        let known = all.map(|value| match value {
            Self::Units(..) | Self::Millis(..) | Self::Word(..) => KnownAt::CompileTime,
            Self::Steps(steps) => Self::all_known(steps.iter()),
            Self::Written(_, known) => *known,
        });
        known.max().unwrap_or(KnownAt::CompileTime)
    }

    /// A literal as in the text of a limit. A time is in the largest unit that measures it exactly: `90s`, `1h`.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Units(units, _) => Some(units.to_string()),
            Self::Millis(ms, _) => Some(duration::show(*ms)),
            Self::Word(word, _) => Some(word.clone()),
            Self::Steps(steps) => Some(steps.iter().map(Self::text).collect::<Option<Vec<_>>>()?.join(",")),
            Self::Written(..) => None,
        }
    }

    pub fn span(&self) -> Span {
        match self {
            Self::Units(_, span) | Self::Millis(_, span) | Self::Word(_, span) => *span,
            Self::Steps(steps) => steps.first().map_or_else(Span::call_site, Self::span),
            Self::Written(value, _) => value.span(),
        }
    }
}
