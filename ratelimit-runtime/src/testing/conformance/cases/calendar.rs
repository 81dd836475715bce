//! Rules for windows of the calendar. The suite does not know the date of the store's clock. So these rules compare the windows
//! of several limits with each other.

use crate::limit::{Calendar, Limit};
use crate::store::Mode;
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

/// Takes a unit under a label. Returns the time until the end of the window.
async fn until_end(run: &mut Run<'_>, label: &str, limit: Limit) -> Checked<Duration> {
    let decision = run.decide(Mode::Check, &[Ask::new(label, limit, 1)]).await?[0];
    run.expect(decision.is_allowed(), "the store refused a call in a new window of the calendar")?;
    Ok(decision.reset_after())
}

/// Lets time pass until a window begins. Returns the length of that window.
async fn at_boundary(run: &mut Run<'_>, limit: Limit) -> Checked<Duration> {
    run.needs_exact_clock()?;
    let rest = until_end(run, "first", limit).await?;
    let is_short = rest <= limit.time();
    run.expect(is_short, "the store reported a window of the calendar that is longer than any")?;
    run.pass(rest).await;
    until_end(run, "first", limit).await
}

pub(super) async fn ends_together(run: &mut Run<'_>, limit: Limit) -> Checked {
    let length = at_boundary(run, limit).await?;
    run.pass(MINUTE).await;
    let late = until_end(run, "late", limit).await?;
    run.expect(
        late == length.saturating_sub(MINUTE),
        "the store ended a window by its length, and not when the calendar begins a new one",
    )?;
    let cost = limit.count() - 1;
    let used_up =
        run.decide(Mode::Check, &[Ask::new("late", limit, cost), Ask::new("late", limit, 1)]).await?;
    let is_right = !used_up[1].is_allowed() && used_up[1].retry_after() == Some(late);
    run.expect(is_right, "the store did not refuse a call until the end of the window of the calendar")?;
    run.pass(late).await;
    until_end(run, "late", limit).await.map(drop)
}

pub(super) async fn lengths(run: &mut Run<'_>, limit: Limit) -> Checked {
    let mut days = Vec::new();
    for _ in 0..12 {
        let length = at_boundary(run, limit).await?;
        if limit.calendar_window() == Some(Calendar::Month) {
            days.push(length.as_secs() / DAY.as_secs());
        } else {
            run.expect(
                length == limit.time(),
                "the store reported a wrong length of a window of the calendar",
            )?;
        }
    }
    days.sort_unstable();
    let is_year = matches!(days[..], [] | [28 | 29, 30, 30, 30, 30, 31, 31, 31, 31, 31, 31, 31]);
    run.expect(is_year, format!("the store reported twelve months with the lengths {days:?} in days"))
}

pub(super) async fn zones(run: &mut Run<'_>, limit: Limit) -> Checked {
    // East and west of UTC, with and without minutes.
    const OFFSETS: [&str; 12] = [
        "+00:45", "-00:45", "+01:00", "-01:00", "-05:00", "+05:30", "-03:30", "+14:00", "-12:00", "+12:45",
        "-09:15", "+23:59",
    ];
    let length = at_boundary(run, limit).await?.as_secs();
    for offset in OFFSETS {
        let zone = limit.zone(offset);
        let found = until_end(run, offset, zone).await?;
        // A window of a zone in the east ends earlier than in UTC, and a window of a zone in the west ends later.
        let east = 60 * i64::from(zone.zone_minutes().unwrap_or(0));
        let expected = (-east).rem_euclid(length.cast_signed()).cast_unsigned();
        let expected = Duration::from_secs(if expected == 0 { length } else { expected });
        run.expect(
            found == expected,
            format!(
                "the store ended a window of the calendar in the zone {offset} after {found:?}, and its boundary is after \
                 {expected:?}"
            ),
        )?;
    }
    Ok(())
}

/// Uses a window in UTC, and then in a zone where this window has not begun. The store sees the same if its clock steps back over
/// a boundary.
pub(super) async fn next_window(run: &mut Run<'_>, limit: Limit) -> Checked {
    let length = at_boundary(run, limit).await?;
    run.take(limit, limit.count() - 1).await?;
    for offset in ["-00:01", "-00:45"] {
        let before = limit.zone(offset);
        let last = run.ask(Mode::Check, before, 1).await?;
        let ends =
            if last.is_allowed() { last.reset_after() } else { last.retry_after().unwrap_or_default() };
        let is_right = last.is_allowed() == (offset == "-00:01") && ends == length;
        run.expect(
            is_right,
            "the store moved the end of the next window of the calendar, or forgot its units; the clock may have stepped back",
        )?;
    }
    run.pass(MINUTE).await;
    let over = run.ask(Mode::Check, limit, 1).await?;
    run.expect(!over.is_allowed(), "the store forgot the units of a window after its clock has stepped back")
}
