//! What an attribute means, with nothing left undecided.

use crate::key::Template;
use proc_macro2::Span;
use syn::{Expr, Path};

/// A checked attribute.
pub(crate) struct Model {
    /// Where the runtime is.
    pub(crate) runtime: Path,
    /// The name of the limit; the path of the function if there is none.
    pub(crate) key: Option<Template>,
    pub(crate) limit: Limit,
    /// Who is limited; all callers together if this is empty.
    pub(crate) by: Vec<Identity>,
    pub(crate) cost: Option<Expr>,
    pub(crate) on_limit: Option<Expr>,
    pub(crate) limiter: Option<Expr>,
}

/// The numbers of the limit.
pub(crate) struct Limit {
    pub(crate) algorithm: Algorithm,
    pub(crate) count: Number,
    pub(crate) time: Time,
}

pub(crate) enum Algorithm {
    Counter,
    TokenBucket { burst: Option<Number>, interval: bool },
}

/// A number of units.
pub(crate) enum Number {
    Literal(u32, Span),
    Value(Expr, Known),
}

pub(crate) enum Time {
    Millis(u64, Span),
    Value(Expr, Known),
}

/// When the value of an expression is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    /// When the function is compiled: a literal, or a path to a constant.
    Now,
    /// When its generic parameters are known: a constant of `Self` or of a type parameter.
    PerInstance,
    /// At each call.
    PerCall,
}

/// One element of who is limited.
pub(crate) enum Identity {
    /// The address that one of the arguments carries; the span of `"ip"`.
    Ip(Span),
    Value(Expr),
}

impl Model {
    /// The span of `"ip"`, if the address of the client is asked for.
    pub(crate) fn ip(&self) -> Option<Span> {
        self.by.iter().find_map(|identity| match identity {
            Identity::Ip(span) => Some(*span),
            Identity::Value(_) => None,
        })
    }
}

impl Limit {
    /// When all of its numbers are known.
    pub(crate) fn known(&self) -> Known {
        let burst = match &self.algorithm {
            Algorithm::TokenBucket { burst, .. } => burst.as_ref(),
            Algorithm::Counter => None,
        };
        let time = match &self.time {
            Time::Millis(..) => Known::Now,
            Time::Value(_, known) => *known,
        };
        let burst = burst.map_or(Known::Now, Number::known);
        self.count.known().max(burst).max(time)
    }
}

impl Number {
    fn known(&self) -> Known {
        match self {
            Self::Literal(..) => Known::Now,
            Self::Value(_, known) => *known,
        }
    }
}
