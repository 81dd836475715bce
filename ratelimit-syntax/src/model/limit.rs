//! Describes the limit of one attribute: its numbers, or an expression for the whole limit.

use proc_macro2::Span;
use ratelimit_limit::rules::{Algorithm, Calendar, Refill, duration};
use syn::{Expr, LitStr};

pub enum Limit {
    /// A limit given by its numbers.
    Numbers(Box<LimitNumbers>),
    /// An expression of the user for a whole `Limit`, evaluated at each call.
    Value(Expr),
}

/// The numbers of a limit.
pub struct LimitNumbers {
    pub algorithm: Algorithm,
    pub count: Number,
    pub time: Time,
    /// The zone of a calendar window.
    pub zone: Option<LitStr>,
    pub burst: Option<Number>,
    pub refill: Refill,
    pub borrow: Option<Number>,
    /// The longest time that a call may wait for its turn.
    pub wait: Option<Time>,
    /// The number of units that a process takes in advance.
    pub lease: Option<Lease>,
    /// The steps for which a refused caller stays refused. Empty if the caller may call again at once.
    pub block: Vec<Time>,
}

/// A number of units.
pub enum Number {
    Literal(u32, Span),
    Value(Expr, KnownAt),
}

pub enum Lease {
    Most(Number),
    /// A sixteenth of what the limit can hold.
    Auto(Span),
}

pub enum Time {
    Millis(u64, Span),
    /// A calendar window.
    Calendar(Calendar, Span),
    Value(Expr, KnownAt),
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
            Self::Numbers(numbers) => numbers.known(),
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
    /// The number that bounds what the limit can hold, with the name of its argument.
    pub fn held(&self) -> (&'static str, &Number) {
        self.burst.as_ref().map_or(("count", &self.count), |burst| ("burst", burst))
    }

    /// Whether the limit is a leaky bucket in which calls wait.
    pub fn is_queue(&self) -> bool {
        matches!(self.algorithm, Algorithm::LeakyBucket) && self.wait.is_some()
    }

    /// The most units that the limit can hold, if its numbers are literals.
    pub fn capacity(&self) -> Option<u32> {
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
        let times =
            [Some(&self.time), self.wait.as_ref()].into_iter().flatten().chain(&self.block).map(Time::known);
        numbers.chain(times).max().unwrap_or(KnownAt::CompileTime)
    }
}

impl Number {
    pub fn known(&self) -> KnownAt {
        match self {
            Self::Literal(..) => KnownAt::CompileTime,
            Self::Value(_, known) => *known,
        }
    }

    pub fn literal(&self) -> Option<u32> {
        match self {
            Self::Literal(number, _) => Some(*number),
            Self::Value(..) => None,
        }
    }
}

impl Time {
    fn known(&self) -> KnownAt {
        match self {
            Self::Millis(..) | Self::Calendar(..) => KnownAt::CompileTime,
            Self::Value(_, known) => *known,
        }
    }

    /// The milliseconds, if the time is a literal. For a calendar window, its greatest length.
    pub fn literal(&self) -> Option<u64> {
        match self {
            Self::Millis(ms, _) => Some(*ms),
            Self::Calendar(calendar, _) => Some(calendar.longest_ms()),
            Self::Value(..) => None,
        }
    }

    /// A literal as text: `90s`, `1h`, in the largest unit that measures it exactly, or `month`.
    pub fn text(&self) -> Option<String> {
        let calendar = if let Self::Calendar(calendar, _) = self { Some(*calendar) } else { None };
        self.literal().map(|ms| duration::show_time(ms, calendar))
    }
}
