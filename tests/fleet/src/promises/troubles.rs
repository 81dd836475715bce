//! Explains failures by the faults of a schedule.

use super::{LOOK_AGAIN, TIMER};
use crate::faults::{ARRIVAL, ELECTION};
use crate::findings::Findings;
use crate::history::Record;
use crate::schedule::{Event, FailOver, Fault, Kind, Layout, NOBODY, Schedule};
use std::time::Duration;

/// The time after which a process certainly uses a returned server again: one second and a tolerance.
const RETURN: Duration = Duration::from_millis(1500);
/// The time after a freeze in which a process may not have connected, or not have read its replies.
const THAW: Duration = Duration::from_millis(20);
/// The longest time from the sending of a request to its execution. First the network can be silent, and then the server can be
/// down.
pub(super) const UNDER_WAY: Duration = Duration::from_secs(10);

impl Schedule {
    pub(super) fn faults(&self) -> impl Iterator<Item = (Duration, Fault)> + '_ {
        self.steps.iter().filter_map(|step| match step.event {
            Event::Fault(fault) => Some((step.at, fault)),
            _ => None,
        })
    }

    /// The times at which keys may be lost or the servers' clocks step, each with the length of the step.
    pub(super) fn disturbances(&self) -> impl Iterator<Item = (Duration, Duration)> + '_ {
        self.faults().filter_map(|(at, fault)| match fault {
            Fault::Restart { keeps_keys: false, .. } => Some((at, Duration::ZERO)),
            Fault::FailOver { how: FailOver::Crash { .. } | FailOver::Split { .. }, .. } => {
                Some((at, Duration::ZERO))
            }
            Fault::Clock { micros } => Some((at, Duration::from_micros(micros.unsigned_abs()))),
            _ => None,
        })
    }

    /// Whether servers may lose writes that they have confirmed.
    pub(super) fn loses_keys(&self) -> bool {
        self.faults().any(|(_, fault)| match fault {
            Fault::Restart { keeps_keys, .. } => !keeps_keys,
            Fault::FailOver { how, .. } => !matches!(how, FailOver::Planned { .. }),
            _ => false,
        })
    }

    /// Whether the limits of the stack are decided one by one, because their keys may be on several nodes.
    pub(super) fn splits(&self, record: &Record) -> bool {
        let has_slots = match record.call.kind {
            Kind::Stack { beside, .. } => beside || record.call.who == NOBODY,
            _ => false,
        };
        has_slots && matches!(self.layout, Layout::Cluster { .. })
    }

    pub(super) fn is_disturbed(&self) -> bool {
        self.disturbances().next().is_some()
    }

    /// Whether there are no faults and the network is fast.
    pub(super) fn is_calm(&self) -> bool {
        self.faults().next().is_none() && !self.is_slow
    }

    /// The number of changes of this limit's count.
    pub(super) fn changes(&self, limit: usize) -> usize {
        let is_change = |event: &Event| matches!(event, Event::Change(change) if change.limit == limit);
        self.steps.iter().filter(|step| is_change(&step.event)).count()
    }

    /// Whether processes end during the run, by a kill or a clean shutdown.
    pub(super) fn ends_processes(&self) -> bool {
        self.faults().any(|(_, fault)| matches!(fault, Fault::Kill(_)))
            || self.steps.iter().any(|step| matches!(step.event, Event::Night(_) | Event::Retire(_)))
    }

    /// Whether a fault explains that the call has no decision.
    pub(super) fn explains_failure(&self, record: &Record, findings: &Findings) -> bool {
        self.has_cause(record, findings, |_| true)
    }

    /// Whether one of these faults explains that the call has no decision.
    pub(super) fn has_cause(
        &self,
        record: &Record,
        findings: &Findings,
        is_meant: impl Fn(Fault) -> bool,
    ) -> bool {
        let is_fired = |(number, at): &(usize, Duration)| {
            *number == record.number && *at <= record.ended && *at + RETURN >= record.sent
        };
        if self.is_slow || findings.fired.iter().any(is_fired) {
            return true;
        }
        let process = record.call.process;
        let before = self.faults().filter(|(at, fault)| *at <= record.ended && is_meant(*fault));
        before.into_iter().any(|(at, fault)| {
            let lasts = match fault {
                Fault::Silence { process: of, time, .. } if of == process => time,
                Fault::Restart { server, down, .. } if self.is_needed(server) => down,
                Fault::Reject(server, _, time) if self.is_needed(server) => time,
                Fault::Stall(_, time) => time,
                Fault::BlackHole { process: of, .. } if of == process => return true,
                // A process that thaws just before the deadline reads the reply too late.
                Fault::Freeze(time) => {
                    let thaw = if self.is_moving(at) { ARRIVAL + LOOK_AGAIN + TIMER } else { THAW };
                    return at + time >= record.sent && at + time + thaw >= record.ended;
                }
                Fault::FailOver { how, lag, .. } => ELECTION + lag + how.lasts(),
                // A stack has several keys. During the move, some of them may be on either node.
                Fault::Move { time, lag, .. } => {
                    if !record.call.kind.is_stack() || time * 2 < self.deadline / 2 {
                        return false;
                    }
                    time * 2 + lag
                }
                _ => return false,
            };
            at + lasts + RETURN >= record.sent
        })
    }

    /// Whether a slot is being moved when a freeze begins. After the freeze, its calls still follow redirections, and send the
    /// texts of their scripts to a node that does not know them. This may take all the time until the deadline is judged.
    fn is_moving(&self, frozen: Duration) -> bool {
        self.faults().any(|(at, fault)| match fault {
            Fault::Move { time, lag, .. } => at <= frozen && at + time * 2 + lag >= frozen,
            _ => false,
        })
    }

    /// Whether calls fail while the server in this role is down. A sentinel is needed only if faults stop several sentinels. A
    /// replica is not needed, because it serves no calls until a failover.
    fn is_needed(&self, role: usize) -> bool {
        let of_sentinels = |(_, fault)| matches!(fault, Fault::Restart { server, .. } if server > 1);
        self.layout.serves(role)
            || (role > 1
                && self.layout == Layout::Sentinels
                && self.faults().filter(|fault| of_sentinels(*fault)).count() > 1)
    }

    /// Whether a held permit can end because its renewals do not arrive for the length of a lease.
    pub(super) fn cuts_off(&self, lease: Duration) -> bool {
        let stops = |fault: Fault| {
            matches!(
                fault,
                Fault::Silence { .. }
                    | Fault::Stall(..)
                    | Fault::Reject(..)
                    | Fault::Restart { .. }
                    | Fault::FailOver { .. }
            )
        };
        lease < Duration::from_secs(20) && self.faults().any(|(_, fault)| stops(fault))
    }
}

impl FailOver {
    /// The time for which the old primary continues to serve after the failover.
    fn lasts(self) -> Duration {
        if let Self::Split { lasts, .. } = self { lasts } else { Duration::ZERO }
    }
}
