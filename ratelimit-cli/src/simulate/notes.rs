//! Notes below a report: what a reader has to know about the traffic and about each limit.

use super::options::Simulate;
use super::report::Trial;
use super::traffic::Traffic;

/// One sentence or two for each.
pub(crate) fn notes(traffic: &Traffic, trials: &[Trial], options: &Simulate) -> Vec<String> {
    let mut notes = traffic.notes.clone();
    for Trial { letter, limit, outcome } in trials {
        let callers = traffic.callers.count();
        if callers > 1 {
            notes.push(format!(
                "{letter}: callers with refused calls: {} of {callers}.",
                outcome.callers_refused
            ));
        }
        if outcome.never > 0 && limit.count() == 0 {
            notes.push(format!(
                "{letter}: {} calls can never pass, because a limit with `count=0` refuses every call.",
                outcome.never
            ));
        } else if outcome.never > 0 {
            notes.push(format!(
                "{letter}: {} calls can never pass, because each costs {} and the limit holds at most {}.",
                outcome.never,
                options.traffic.cost,
                limit.capacity()
            ));
        }
        let later = outcome.series.first().map_or(0, |series| series.later);
        if later > 0 {
            notes.push(format!(
                "{letter}: {later} admitted calls start after the end of the chart, because they wait."
            ));
        }
        if limit.to_string().contains(" lease=") {
            notes.push(format!("{letter}: leases are not simulated; every call asks the store."));
        }
    }
    notes
}
