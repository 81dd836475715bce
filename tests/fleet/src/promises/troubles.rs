//! What the faults of a schedule explain.

use crate::faults::ELECTION;
use crate::history::Record;
use crate::schedule::{Event, FailOver, Fault, Kind, Layout, NOBODY, Schedule};
use std::time::Duration;

/// A process uses a server again within a second of its return.
const RETURN: Duration = Duration::from_millis(1500);
/// How long a request can be on its way: as long as a network is silent, and then the server is down.
pub(super) const UNDER_WAY: Duration = Duration::from_secs(10);

impl Schedule {
    pub(super) fn faults(&self) -> impl Iterator<Item = (Duration, Fault)> + '_ {
        self.steps.iter().filter_map(|step| match step.event {
            Event::Fault(fault) => Some((step.at, fault)),
            _ => None,
        })
    }

    /// The times at which keys may have been lost, or the servers' clocks have stepped, with the length of the step.
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

    /// Whether writes may be lost that a server has confirmed.
    pub(super) fn loses_keys(&self) -> bool {
        self.faults().any(|(_, fault)| match fault {
            Fault::Restart { keeps_keys, .. } => !keeps_keys,
            Fault::FailOver { how, .. } => !matches!(how, FailOver::Planned { .. }),
            _ => false,
        })
    }

    /// Whether a stack can be decided limit by limit, because its keys are on several nodes.
    pub(super) fn splits(&self, record: &Record) -> bool {
        let is_stack = matches!(record.call.kind, Kind::Stack { .. });
        is_stack && record.call.who == NOBODY && matches!(self.layout, Layout::Cluster { .. })
    }

    pub(super) fn is_disturbed(&self) -> bool {
        self.disturbances().next().is_some()
    }

    /// Whether nothing but time has passed.
    pub(super) fn is_calm(&self) -> bool {
        self.faults().next().is_none() && !self.is_slow
    }

    /// Whether the numbers of this limit change.
    pub(super) fn changes(&self, limit: usize) -> usize {
        let is_change = |event: &Event| matches!(event, Event::Change(change) if change.limit == limit);
        self.steps.iter().filter(|step| is_change(&step.event)).count()
    }

    /// Whether processes have ended, in good order or not.
    pub(super) fn ends_processes(&self) -> bool {
        self.faults().any(|(_, fault)| matches!(fault, Fault::Kill(_)))
            || self.steps.iter().any(|step| matches!(step.event, Event::Night(_) | Event::Retire(_)))
    }

    /// Whether a fault explains that a call has no decision.
    pub(super) fn explains_failure(&self, record: &Record) -> bool {
        if self.is_slow {
            return true;
        }
        let process = record.call.process;
        self.faults().filter(|(at, _)| *at <= record.ended).any(|(at, fault)| {
            let lasts = match fault {
                // A fault of a link takes effect at the next call, whenever that comes.
                Fault::Link { process: of, .. } => return of == process,
                Fault::Silence { process: of, time, .. } if of == process => time,
                Fault::Restart { server, down, .. } if self.is_needed(server) => down,
                Fault::Reject(server, _, time) if self.is_needed(server) => time,
                Fault::Stall(_, time) => time,
                Fault::FailOver { how, lag, .. } => ELECTION + lag + how.lasts(),
                // A stack has several keys, which are on both nodes meanwhile.
                Fault::Move { time, lag, .. } => {
                    let is_stack = matches!(record.call.kind, Kind::Stack { .. });
                    if !is_stack || time * 2 < self.deadline / 2 {
                        return false;
                    }
                    time * 2 + lag
                }
                _ => return false,
            };
            at + lasts + RETURN >= record.sent
        })
    }

    /// Whether calls fail without the server in this role. One sentinel is enough, and a replica serves nothing until a failover.
    fn is_needed(&self, role: usize) -> bool {
        let of_sentinels = |(_, fault)| matches!(fault, Fault::Restart { server, .. } if server > 1);
        self.layout.serves(role)
            || (role > 1
                && self.layout == Layout::Sentinels
                && self.faults().filter(|fault| of_sentinels(*fault)).count() > 1)
    }

    /// Whether a permit can end while it is held: its renewals do not arrive for the length of a lease.
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
    /// How long the old primary is still there.
    fn lasts(self) -> Duration {
        if let Self::Split { lasts, .. } = self { lasts } else { Duration::ZERO }
    }
}
