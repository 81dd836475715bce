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
    pub(crate) by: By,
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
    /// A path to a constant: checked at compile time.
    Const(Expr),
    /// Anything else: checked at each call.
    Dynamic(Expr),
}

pub(crate) enum Time {
    Millis(u64),
    Const(Expr),
    Dynamic(Expr),
}

/// Who is limited.
pub(crate) enum By {
    Global,
    /// The address that one of the arguments carries; the span of `"ip"`.
    Ip(Span),
    /// The elements of a tuple, or one expression.
    Values(Vec<Expr>),
}

impl Limit {
    /// Whether every number is known at compile time.
    pub(crate) fn is_const(&self) -> bool {
        let burst = match &self.algorithm {
            Algorithm::TokenBucket {
                burst: Some(burst), ..
            } => burst.is_const(),
            _ => true,
        };
        burst && self.count.is_const() && !matches!(self.time, Time::Dynamic(_))
    }
}

impl Number {
    fn is_const(&self) -> bool {
        !matches!(self, Self::Dynamic(_))
    }
}
