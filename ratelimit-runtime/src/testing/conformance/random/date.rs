//! Finds out the date of a store's clock from the windows of the calendar.

use crate::limit::{Calendar, Limit};
use crate::store::Mode;
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run, Setting};
use std::time::Duration;

pub(in super::super) const RULE: &str = "windows of the calendar fit a date";
pub(in super::super) const MONTH: Limit = Limit::calendar(1, Calendar::Month);

const WEEK: Limit = Limit::calendar(1, Calendar::Week);
const DAY: Duration = Duration::from_secs(86_400);
/// The most months up to the end of a February of 29 days.
const MONTHS: usize = 8 * 12 + 1;

/// Moves the clock to the end of a February of 29 days, and stores the date. It is a date with this day of the week. Of all years
/// with such a February, every seventh fits. The definitions then agree with the store for as long as a leap year comes every
/// four years.
pub(in super::super) async fn find<'s>(setting: &'s Setting<'s>) -> Checked {
    let mut run = Run::new(setting);
    run.needs(&MONTH)?;
    run.needs(&WEEK)?;
    run.needs_exact_clock()?;
    let mut length = until_end(&mut run, "month", MONTH).await?;
    for month in 0.. {
        run.pass(length).await;
        if month > 0 && length == 29 * DAY {
            break;
        }
        if month == MONTHS {
            return Err(run.fail("the store reported no month of 29 days in eight years"));
        }
        length = until_end(&mut run, "month", MONTH).await?;
    }
    let of_week = (7 * DAY).saturating_sub(until_end(&mut run, "week", WEEK).await?);
    // The first of March of 2000, and of each fourth year after it. 1970 began on a Thursday, and a week begins on a Monday.
    let of_years = (0..7).map(|number| DAY * (11_017 + number * (4 * 365 + 1)));
    let day_of_week =
        |date: &Duration| Duration::from_secs((*date + 3 * DAY).as_secs() % (7 * DAY).as_secs());
    let date = of_years.into_iter().find(|date| day_of_week(date) == of_week);
    let Some(date) = date else {
        return Err(run.fail("the store reported a week that does not begin at midnight"));
    };
    let began = date.saturating_sub(setting.passed.get());
    setting.began.set(u64::try_from(began.as_micros()).ok());
    Ok(())
}

async fn until_end(run: &mut Run<'_>, label: &str, limit: Limit) -> Checked<Duration> {
    let decision = run.decide(Mode::Check, &[Ask::new(label, limit, 1)]).await?[0];
    run.expect(decision.is_allowed(), "the store refused a call in a new window of the calendar")?;
    Ok(decision.reset_after())
}
