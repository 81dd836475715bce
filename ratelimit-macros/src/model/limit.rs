//! Describes the limit of one attribute: its numbers, or an expression for the whole limit.

use crate::rules::{Algorithm, Refill};
use proc_macro2::Span;
use syn::Expr;

pub(crate) enum Limit {
    /// A limit given by its numbers.
    Numbers(Box<LimitNumbers>),
    /// A `Limit` of the user, evaluated at each call.
    Value(Expr),
}

/// The numbers of a limit.
pub(crate) struct LimitNumbers {
    pub(crate) algorithm: Algorithm,
    pub(crate) count: Number,
    pub(crate) time: Time,
    pub(crate) burst: Option<Number>,
    pub(crate) refill: Refill,
    pub(crate) borrow: Option<Number>,
    /// How long a call may wait for its turn.
    pub(crate) wait: Option<Time>,
    /// How many units a process takes in advance.
    pub(crate) lease: Option<Lease>,
}

/// A number of units.
pub(crate) enum Number {
    Literal(u32, Span),
    Value(Expr, KnownAt),
}

pub(crate) enum Lease {
    Most(Number),
    /// A part of what the limit can hold.
    Auto(Span),
}

pub(crate) enum Time {
    Millis(u64, Span),
    Value(Expr, KnownAt),
}

/// When the value of an expression is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KnownAt {
    /// A literal, or a path to a constant.
    CompileTime,
    /// A constant of `Self` or of a type parameter, known when the function is instantiated.
    Instantiation,
    /// Any other expression, known at each call.
    Call,
}

impl Limit {
    /// When all numbers of the limit are known.
    pub(crate) fn known(&self) -> KnownAt {
        match self {
            Self::Numbers(numbers) => numbers.known(),
            Self::Value(_) => KnownAt::Call,
        }
    }

    pub(crate) fn may_be_permits(&self) -> bool {
        match self {
            Self::Numbers(numbers) => matches!(numbers.algorithm, Algorithm::Concurrency),
            Self::Value(_) => true,
        }
    }
}

impl LimitNumbers {
    /// The number that bounds what the limit can hold, with the name of its argument.
    pub(crate) fn held(&self) -> (&'static str, &Number) {
        self.burst.as_ref().map_or(("count", &self.count), |burst| ("burst", burst))
    }

    /// The most units that the limit can hold, if that is given by literals.
    pub(crate) fn capacity(&self) -> Option<u32> {
        let borrow = self.borrow.as_ref().map_or(Some(0), Number::literal)?;
        Some(self.held().1.literal()?.saturating_add(borrow))
    }

    fn known(&self) -> KnownAt {
        let lease = match &self.lease {
            Some(Lease::Most(most)) => Some(most),
            Some(Lease::Auto(_)) | None => None,
        };
        let numbers = [Some(&self.count), self.burst.as_ref(), self.borrow.as_ref(), lease]
            .into_iter()
            .flatten()
            .map(Number::known);
        let times = [Some(&self.time), self.wait.as_ref()].into_iter().flatten().map(Time::known);
        numbers.chain(times).max().unwrap_or(KnownAt::CompileTime)
    }
}

impl Number {
    pub(crate) fn known(&self) -> KnownAt {
        match self {
            Self::Literal(..) => KnownAt::CompileTime,
            Self::Value(_, known) => *known,
        }
    }

    pub(crate) fn literal(&self) -> Option<u32> {
        match self {
            Self::Literal(number, _) => Some(*number),
            Self::Value(..) => None,
        }
    }
}

impl Time {
    fn known(&self) -> KnownAt {
        match self {
            Self::Millis(..) => KnownAt::CompileTime,
            Self::Value(_, known) => *known,
        }
    }

    pub(crate) fn literal(&self) -> Option<u64> {
        match self {
            Self::Millis(ms, _) => Some(*ms),
            Self::Value(..) => None,
        }
    }
}
