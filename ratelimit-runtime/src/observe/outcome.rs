//! `Outcome`: the result of one call at one limit.

use crate::decision::{Decision, Source};
use crate::error::{Error, ErrorKind};

/// The result of one call at one limit. Each limit of a call has exactly one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "only counted"))]
pub(crate) enum Outcome {
    /// The store admitted the call at once.
    Allowed,
    /// The store admitted the call, and the call waited for its turn or for a permit.
    Waited,
    /// The store refused the call.
    Limited,
    /// This limit did not refuse the call, but another limit of the call did. No units were taken.
    OtherLimited,
    /// A shadow limit admitted the call.
    ShadowAllowed,
    /// A shadow limit would have refused the call. The call ran.
    ShadowLimited,
    /// A shadow limit was not decided, because the store failed, the identity is absent, or the configuration is wrong. The
    /// call ran.
    ShadowUndecided,
    /// The call was exempt from the limit, or limits are off.
    Exempt,
    /// The store failed, and the failure policy admitted the call.
    PolicyAllowed,
    /// The store failed, and the failure policy rejected the call.
    PolicyDenied,
    /// The store failed, and the memory of the process admitted the call.
    LocalAllowed,
    /// The store failed, and the memory of the process refused the call.
    LocalLimited,
    /// The call has no identity, so it was rejected.
    Unidentified,
    /// The configuration is wrong, so the call was rejected.
    Failed,
}

#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "only counted"))]
impl Outcome {
    /// The number of outcomes.
    pub(super) const COUNT: usize = Self::Failed as usize + 1;

    /// The value of the label `ratelimit.outcome`.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Waited => "waited",
            Self::Limited => "limited",
            Self::OtherLimited => "other_limited",
            Self::ShadowAllowed => "shadow_allowed",
            Self::ShadowLimited => "shadow_limited",
            Self::ShadowUndecided => "shadow_undecided",
            Self::Exempt => "exempt",
            Self::PolicyAllowed => "policy_allowed",
            Self::PolicyDenied => "policy_denied",
            Self::LocalAllowed => "local_allowed",
            Self::LocalLimited => "local_limited",
            Self::Unidentified => "unidentified",
            Self::Failed => "failed",
        }
    }

    /// Whether a limit decided that the call may run.
    pub(super) const fn is_admitted(self) -> bool {
        matches!(self, Self::Allowed | Self::Waited | Self::LocalAllowed | Self::ShadowAllowed)
    }

    /// Whether a limit refused the call, or would have refused it.
    pub(super) const fn is_refused(self) -> bool {
        matches!(self, Self::Limited | Self::LocalLimited | Self::ShadowLimited)
    }

    /// The outcome at one limit, for a call that all of its limits admitted.
    pub(crate) const fn admitted(source: Source, waited: bool) -> Self {
        match source {
            Source::Store if waited => Self::Waited,
            Source::Store => Self::Allowed,
            Source::Local => Self::LocalAllowed,
            Source::Nobody => Self::PolicyAllowed,
        }
    }

    /// The outcome at one limit, for a call that was refused by this or another limit.
    pub(crate) const fn refused(source: Source, decision: &Decision) -> Self {
        match source {
            _ if decision.is_allowed() => Self::OtherLimited,
            Source::Local => Self::LocalLimited,
            Source::Store | Source::Nobody => Self::Limited,
        }
    }

    /// The outcome of a call that was rejected because it could not be decided.
    pub(crate) const fn undecided(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Unavailable | ErrorKind::Timeout => Self::PolicyDenied,
            ErrorKind::NoIdentity => Self::Unidentified,
            ErrorKind::Configuration | ErrorKind::Limit => Self::Failed,
        }
    }
}
