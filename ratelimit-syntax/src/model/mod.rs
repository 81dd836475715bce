//! Describes the checked attributes of a function: the input of `expand`.

mod learned;
mod limit;
mod runtime;

pub use learned::{LEARN, Learned, call_of_learn, place_of_learn};
pub use limit::{KnownAt, Limit, LimitNumbers, Value};
pub use runtime::Runtime;

use crate::key::Template;
use proc_macro2::Span;
pub use ratelimit_limit::rules::{Algorithm, Calendar, Number};
use syn::Expr;

/// The checked attributes of one function.
pub struct Model {
    pub runtime: Runtime,
    /// The limits of the function, in the order of the attributes. Several limits are a stack, which is decided together.
    pub members: Vec<Member>,
    /// The request parts to look up among the function's arguments, without duplicates, each with the span of its first
    /// use.
    pub request_parts: Vec<(RequestPart, Span)>,
    pub on_limit: Option<Expr>,
    /// Whether the expansion wraps any return type in a `Result`.
    pub fallible: bool,
    pub on_error: Option<OnError>,
    pub limiter: Option<Expr>,
}

/// The failure policy, for calls that the store cannot decide.
#[derive(Clone, Copy)]
pub enum OnError {
    Local,
    Allow,
    Deny,
}

/// One attribute: one limit.
pub struct Member {
    /// The text of `key`. `None` if the path of the function is the name.
    pub key: Option<Template>,
    /// The time in the name of the limit, such as `1d`, if another limit of the function has the same `key`.
    pub time_in_name: Option<String>,
    pub limit: Limit,
    /// The values of `by`. Empty for `"global"`, `None` without a `by`; both limit all callers together.
    pub by: Option<Vec<Identity>>,
    pub cost: Option<Expr>,
    /// The units that the call leaves to others.
    pub keep: Option<Expr>,
    /// The values that say who shares the limit in equal parts. Empty if nobody does.
    pub fair: Vec<Expr>,
    pub afterwards: Option<Afterwards>,
    /// A function that takes a reference to the result, and returns for how long the limit pauses.
    pub pause_if: Option<Expr>,
    pub until: Until,
    /// The condition that exempts a call.
    pub skip_if: Option<Expr>,
    pub shadow: Shadow,
}

/// When a permit is returned, and when `settle` computes the cost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When the function returns. `said` is true if the attribute says so explicitly, which silences the warning about streams.
    Return { said: bool },
    /// When the body of the returned response ends.
    BodyEnd,
}

/// Whether the limit only reports and never refuses.
pub enum Shadow {
    Never,
    Always,
    /// Evaluated at each call.
    If(Expr),
}

/// One value of the identity.
pub enum Identity {
    /// A request part, found in one of the arguments, with the span of its word.
    Part(RequestPart, Span),
    Value(Expr),
}

/// A part of the request that is found among the arguments by their types.
#[derive(Clone, PartialEq, Eq)]
pub enum RequestPart {
    Ip,
    User,
    /// The header of this name, in lower case.
    Header(String),
}

/// A function that decides about the charge after the body.
pub struct Afterwards {
    pub verdict: Verdict,
    /// A function that takes a reference to the result.
    pub judge: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    RefundIf,
    Settle,
}

impl Model {
    /// Whether the function holds something until it ends: a permit, or a charge that its result decides about.
    pub fn keeps_admission(&self) -> bool {
        self.judges() || self.outlives() || self.members.iter().any(|member| member.limit.may_be_permits())
    }

    /// Whether no limit can refuse a call. Then the function may return any type.
    pub fn never_rejects(&self) -> bool {
        self.on_limit.is_none() && self.members.iter().all(|member| matches!(member.shadow, Shadow::Always))
    }

    /// Whether the expansion wraps an `impl Trait` return type in a `Result`, which can carry a rejection.
    pub fn widens(&self) -> bool {
        self.on_limit.is_none() && !self.never_rejects()
    }

    /// Whether the result of the body decides about a charge or a pause.
    pub fn judges(&self) -> bool {
        self.members.iter().any(|member| member.judged().is_some() || member.pause_if.is_some())
    }

    /// Whether a limit lasts until the body of the response ends.
    pub fn outlives(&self) -> bool {
        self.members.iter().any(Member::outlives)
    }
}

/// Collects the request parts that limits use.
pub fn request_parts(members: &[Member]) -> Vec<(RequestPart, Span)> {
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
    /// The text of `key`, if it is given.
    pub fn key_text(&self) -> Option<String> {
        self.key.as_ref().map(|key| key.text.value())
    }

    pub fn identities(&self) -> &[Identity] {
        self.by.as_deref().unwrap_or_default()
    }

    /// The function that decides about the charge when the body of the function has ended. `None` if no such function is given,
    /// or if the charge lasts until the body of the response ends.
    pub fn judged(&self) -> Option<&Afterwards> {
        self.afterwards.as_ref().filter(|_| !self.outlives())
    }

    /// Whether the limit lasts until the body of the response ends.
    pub fn outlives(&self) -> bool {
        self.until == Until::BodyEnd
    }

    /// The name of the limit when it refuses: `base`, followed by the time if the name contains one.
    pub fn refusing_name(&self, base: &str) -> String {
        match &self.time_in_name {
            Some(time) => format!("{base}/{time}"),
            None => base.to_owned(),
        }
    }

    /// The name of the limit when it is a shadow limit.
    pub fn shadow_name(&self, base: &str) -> String {
        format!("{}/shadow", self.refusing_name(base))
    }
}

impl OnError {
    /// The variant of the runtime's `OnError`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "Local",
            Self::Allow => "Allow",
            Self::Deny => "Deny",
        }
    }
}

impl Verdict {
    pub const ALL: [Self; 2] = [Self::RefundIf, Self::Settle];

    /// The name of the argument, and of the runtime's method.
    pub fn name(self) -> &'static str {
        match self {
            Self::RefundIf => "refund_if",
            Self::Settle => "settle",
        }
    }
}
