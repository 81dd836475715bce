//! What the faults of a schedule explain.

use crate::schedule::{Event, Fault, Schedule};
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

    /// The times at which keys may have been lost, or the server's clock has stepped, with the length of the step.
    pub(super) fn disturbances(&self) -> impl Iterator<Item = (Duration, Duration)> + '_ {
        self.faults().filter_map(|(at, fault)| match fault {
            Fault::Restart { keeps_keys: false, .. } => Some((at, Duration::ZERO)),
            Fault::Clock { micros } => Some((at, Duration::from_micros(micros.unsigned_abs()))),
            _ => None,
        })
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

    /// Whether a fault explains that a process has no decision between two times.
    pub(super) fn explains_failure(&self, process: usize, from: Duration, to: Duration) -> bool {
        if self.is_slow {
            return true;
        }
        self.faults().filter(|(at, _)| *at <= to).any(|(at, fault)| {
            let lasts = match fault {
                // It waits for the next call.
                Fault::Link(of, _) => return of == process,
                Fault::Silence(of, time) if of == process => time,
                Fault::Stall(time) | Fault::Reject(_, time) | Fault::Restart { down: time, .. } => time,
                _ => return false,
            };
            at + lasts + RETURN >= from
        })
    }

    /// Whether a permit can end while it is held: its renewals do not arrive for the length of a lease.
    pub(super) fn cuts_off(&self, lease: Duration) -> bool {
        let stops = |fault: Fault| {
            matches!(fault, Fault::Silence(..) | Fault::Stall(_) | Fault::Reject(..) | Fault::Restart { .. })
        };
        lease < Duration::from_secs(20) && self.faults().any(|(_, fault)| stops(fault))
    }
}
