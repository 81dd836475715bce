//! `Status`: whether the store of a limiter can decide now. Health endpoints report it.

mod probes;

use crate::macros::opaque;
pub(super) use probes::Probes;

use super::OnError;
#[cfg(doc)]
use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use std::fmt;
use std::time::Duration;

/// Whether the store of a limiter can decide now, and what happens to calls if it cannot. [`RateLimiter::status`] returns it.
///
/// [`Display`](fmt::Display) and [`Debug`](fmt::Debug) show no address, no key and no password, so a health endpoint may
/// send them. [`error`](Self::error) names the server, and is meant for a log.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use ratelimit::RateLimiter;
///
/// let status = RateLimiter::in_memory().status().await;
/// assert!(status.is_ready() && status.is_reachable());
/// assert_eq!(status.to_string(), "the store is reachable");
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Status {
    off: bool,
    servers: u32,
    reachable: u32,
    unreachable_for: Option<Duration>,
    error: Option<Error>,
    /// Whether the store has decided about a call of this limiter before.
    has_decided: bool,
    /// Whether calls have failed within the last second, even if all servers are reachable now.
    calls_failed: bool,
    on_error: OnError,
    /// The limits whose failure policy denies calls while the store is unavailable.
    denying: Vec<&'static str>,
}

impl Status {
    /// Makes the status from the result of each server. If there are several errors, one that somebody must repair takes
    /// precedence over a transient one.
    fn of(results: Vec<Result<(), Error>>) -> Self {
        let servers = results.len();
        let mut errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let reachable = count(servers - errors.len());
        errors.sort_by_key(Error::is_transient);
        Self {
            off: false,
            servers: count(servers),
            reachable,
            unreachable_for: None,
            error: errors.into_iter().next(),
            has_decided: false,
            calls_failed: false,
            on_error: OnError::default(),
            denying: Vec::new(),
        }
    }

    /// Whether calls can run now. This is so if a server of the store decides, if the failure policy lets calls run without the
    /// store, or if limits are off.
    ///
    /// The result is `false` if every call would be rejected as unavailable: the store is unreachable under [`OnError::Deny`], or
    /// the configuration is wrong and the store has never decided about a call of this limiter. With the other policies, a
    /// service stays ready during an outage of its store, so that an outage does not take all instances of the service out of
    /// service at once. A password or a permission that somebody changes later is such an outage. For a stricter probe, use
    /// [`is_reachable`](Self::is_reachable).
    ///
    /// This method looks at the failure policy of the limiter. In a service that is ready, attributes with `on_error = "deny"`
    /// may still reject all their calls; [`denied_limits`](Self::denied_limits) returns these limits. If the service is of no use
    /// without them, also require that the list is empty, as in `status.is_ready() && status.denied_limits().is_empty()`.
    pub fn is_ready(&self) -> bool {
        let runs_without_store = || self.on_error != OnError::Deny && self.is_outage();
        self.off || self.reachable > 0 || runs_without_store()
    }

    /// Whether the failure policy applies to the error of a server.
    fn is_outage(&self) -> bool {
        self.error
            .as_ref()
            .is_some_and(|error| error.is_transient() || error.is_of_server() && self.has_decided)
    }

    /// Whether every server of the store has decided about the probe in time. `false` while limits are off.
    pub const fn is_reachable(&self) -> bool {
        self.servers > 0 && self.reachable == self.servers
    }

    /// The number of servers that were asked: 1, or the nodes of a cluster that serve slots. 0 while limits are off.
    pub const fn servers(&self) -> u32 {
        self.servers
    }

    /// The number of servers that have decided in time.
    pub const fn reachable_servers(&self) -> u32 {
        self.reachable
    }

    /// Returns how long a server has been unreachable. The time begins with the first failed call or status after the last
    /// success. `None` if all servers are reachable.
    pub const fn unreachable_for(&self) -> Option<Duration> {
        self.unreachable_for
    }

    /// Returns why a server is unreachable. Write the error to a log. Do not send it to a client, because it names the server.
    pub const fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// The kind of [`error`](Self::error).
    pub fn error_kind(&self) -> Option<ErrorKind> {
        self.error.as_ref().map(Error::kind)
    }

    /// Returns the limiter's failure policy if it decides calls now. This is so if a server is unavailable or too slow, if a
    /// server that has decided before refuses this process now, or if a call has failed for such a reason within the last
    /// second. On a cluster, the policy decides only calls for such servers.
    ///
    /// `None` if the configuration was wrong from the start, because calls are then rejected under every policy.
    pub fn fallback(&self) -> Option<OnError> {
        let in_use = if self.error.is_some() { self.is_outage() } else { self.calls_failed };
        (in_use && !self.off).then_some(self.on_error)
    }

    /// Returns the names of the limits with [`OnError::Deny`], in alphabetical order, if their calls are rejected now. The
    /// policy may come from the attribute or from the limiter. If [`fallback`](Self::fallback) returns `None`, the list is
    /// empty. On a cluster, only calls for unavailable servers are rejected.
    ///
    /// The list has only limits that this limiter has decided in this process. The first call of a limit determines its policy. A
    /// limit is not known before its first call, or if only methods such as [`RateLimiter::check`] use it. If the configuration
    /// was wrong from the start, the list is empty, because the calls of all limits are rejected.
    pub fn denied_limits(&self) -> &[&'static str] {
        if self.fallback().is_some() { &self.denying } else { &[] }
    }

    /// Whether limits are [off](crate::RateLimiterBuilder::off).
    pub const fn is_off(&self) -> bool {
        self.off
    }

    /// Writes how many limits reject their calls, if the policy of the limiter itself lets calls run.
    fn write_denied(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denied_limits().len() {
            _ if self.on_error == OnError::Deny => Ok(()),
            0 => Ok(()),
            1 => f.write_str("; 1 limit rejects its calls"),
            limits => write!(f, "; {limits} limits reject their calls"),
        }
    }

    /// Describes what happens to calls that the store does not decide.
    const fn consequence(&self) -> &'static str {
        match self.on_error {
            OnError::Local => "the memory of this process decides instead",
            OnError::Allow => "calls pass undecided",
            OnError::Deny => "calls are rejected",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.off {
            return f.write_str("limits are off: every call passes");
        }
        let Some(error) = &self.error else {
            f.write_str("the store is reachable")?;
            if self.calls_failed {
                write!(f, ", but calls of the last second failed: {}", self.consequence())?;
                self.write_denied(f)?;
            }
            return Ok(());
        };
        match (self.reachable, self.servers) {
            (0, 0 | 1) => f.write_str("the store is unreachable")?,
            (reachable, servers) => write!(f, "{reachable} of {servers} servers of the store are reachable")?,
        }
        match self.unreachable_for.map(|time| time.as_secs()) {
            None => {}
            Some(0) => f.write_str(", for less than a second")?,
            Some(seconds) => write!(f, ", for {seconds} s")?,
        }
        let why = match error.kind() {
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Timeout => "no reply in time",
            _ if self.is_outage() => "degraded: the server refuses this process",
            _ => return f.write_str(" (wrong configuration): calls are rejected"),
        };
        write!(f, " ({why}): {}", self.consequence())?;
        self.write_denied(f)
    }
}

opaque! {
    /// Omits the error, which names the server.
    Status, |this|
        ready = this.is_ready(),
        off = this.off,
        servers = this.servers,
        reachable_servers = this.reachable,
        unreachable_for = this.unreachable_for,
        error_kind = this.error_kind(),
        fallback = this.fallback(),
        denied_limits = this.denied_limits()
}

#[cfg(test)]
mod tests;
