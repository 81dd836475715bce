//! What the attributes of a function mean, with nothing left undecided.

use crate::key::Template;
pub(crate) use crate::rules::{Algorithm, Refill};
use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, Path};

/// The checked attributes of one function.
pub(crate) struct Model {
    /// Where the runtime is.
    pub(crate) runtime: Path,
    /// What a call has to pass, in the order written: one limit, or a stack that is decided together.
    pub(crate) members: Vec<Member>,
    /// The request parts to look up among the function's arguments, without duplicates, each with the span of its first
    /// use.
    pub(crate) request_parts: Vec<(RequestPart, Span)>,
    pub(crate) on_limit: Option<Expr>,
    pub(crate) on_error: Option<OnError>,
    pub(crate) limiter: Option<Expr>,
}

/// What happens when the store cannot decide.
#[derive(Clone, Copy)]
pub(crate) enum OnError {
    Local,
    Allow,
    Deny,
}

/// What one attribute says.
pub(crate) struct Member {
    /// The name of the limit; the path of the function if there is none.
    pub(crate) key: Option<Template>,
    pub(crate) limit: Limit,
    /// Who is limited; all callers together if this is empty, or if nobody has said it.
    pub(crate) by: Option<Vec<Identity>>,
    pub(crate) cost: Option<Expr>,
    pub(crate) afterwards: Option<Afterwards>,
    /// Which calls are exempt.
    pub(crate) skip_if: Option<Expr>,
    /// Whether it is decided on the side, and never refuses.
    pub(crate) shadow: Option<Expr>,
}

pub(crate) enum Limit {
    /// By its numbers.
    Parts(Box<Parts>),
    /// A value of the user's, made at each call.
    Value(Expr),
}

/// The numbers of a limit.
pub(crate) struct Parts {
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
    /// By the other numbers of the limit.
    Auto(Span),
}

pub(crate) enum Time {
    Millis(u64, Span),
    Value(Expr, KnownAt),
}

/// When the value of an expression is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KnownAt {
    /// When the function is compiled: a literal, or a path to a constant.
    CompileTime,
    /// When its generic parameters are known: a constant of `Self` or of a type parameter.
    Instantiation,
    /// At each call.
    Call,
}

/// One element of who is limited.
pub(crate) enum Identity {
    /// What one of the arguments carries; the span of the word.
    Part(RequestPart, Span),
    Value(Expr),
}

/// What is found among the arguments by their types.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum RequestPart {
    Ip,
    User,
    /// By its name, in lower case.
    Header(String),
}

/// What the result of the body decides about the charge.
pub(crate) struct Afterwards {
    pub(crate) verdict: Verdict,
    /// From a reference to the result.
    pub(crate) judge: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    ChargeIf,
    RefundIf,
    Settle,
}

impl Model {
    /// Whether something of the decision lives as long as the body: a permit, or a charge that its result decides about.
    pub(crate) fn is_held(&self) -> bool {
        self.judges() || self.members.iter().any(|member| member.limit.may_be_permits())
    }

    /// Whether all limits are only tried out, so that any function can have them.
    pub(crate) fn never_rejects(&self) -> bool {
        let only_tried = |member: &Member| matches!(&member.shadow, Some(Expr::Lit(ExprLit { lit: Lit::Bool(shadow), .. })) if shadow.value);
        self.on_limit.is_none() && self.members.iter().all(only_tried)
    }

    /// Whether an opaque return type becomes one that can carry a rejection.
    pub(crate) fn widens(&self) -> bool {
        self.on_limit.is_none() && !self.never_rejects()
    }

    /// Whether the result of the body decides about a charge.
    pub(crate) fn judges(&self) -> bool {
        self.members.iter().any(|member| member.afterwards.is_some())
    }
}

/// Collects the request parts that limits use.
pub(crate) fn request_parts(members: &[Member]) -> Vec<(RequestPart, Span)> {
    let mut all: Vec<(RequestPart, Span)> = Vec::new();
    for identity in members.iter().flat_map(Member::identities) {
        if let Identity::Part(part, span) = identity
            && all.iter().all(|(known, _)| known != part)
        {
            all.push((part.clone(), *span));
        }
    }
    all
}

impl Member {
    pub(crate) fn identities(&self) -> &[Identity] {
        self.by.as_deref().unwrap_or_default()
    }
}

impl Limit {
    /// When all of its numbers are known.
    pub(crate) fn known(&self) -> KnownAt {
        match self {
            Self::Parts(parts) => parts.known(),
            Self::Value(_) => KnownAt::Call,
        }
    }

    fn may_be_permits(&self) -> bool {
        match self {
            Self::Parts(parts) => matches!(parts.algorithm, Algorithm::Concurrency),
            Self::Value(_) => true,
        }
    }
}

impl Parts {
    /// The name and the value of the number that the limit can hold.
    pub(crate) fn held(&self) -> (&'static str, &Number) {
        self.burst.as_ref().map_or(("count", &self.count), |burst| ("burst", burst))
    }

    /// The most units that the limit can hold, where that is a literal.
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

impl OnError {
    /// What the runtime calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Local => "Local",
            Self::Allow => "Allow",
            Self::Deny => "Deny",
        }
    }
}

impl Verdict {
    pub(crate) const ALL: [Self; 3] = [Self::ChargeIf, Self::RefundIf, Self::Settle];

    /// The argument of the attribute, and what the runtime calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ChargeIf => "charge_if",
            Self::RefundIf => "refund_if",
            Self::Settle => "settle",
        }
    }
}
