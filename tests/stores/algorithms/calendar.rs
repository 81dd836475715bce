//! Windows of the calendar on both stores, when the clock steps back over a boundary, and when a limit gets shorter windows.

use crate::harness::{TestRequest, Twins, decide};
use ratelimit::per::Calendar;
use ratelimit::store::Mode;
use ratelimit::{Decision, Limit};
use std::time::Duration;
use support::{HOUR, MINUTE, MS};

/// A time in a zone, since 1970.
const NOW: Duration = Duration::from_secs(1_795_518_180);

/// Makes one call at a time. Returns `None` if the stores decide differently.
async fn ask(twins: &mut Twins, limit: Limit, at: Duration) -> Option<Decision> {
    twins.set_clock(u64::try_from(at.as_micros()).unwrap());
    let request = [TestRequest::new(0, limit, 1)];
    let by_script = decide(&twins.redis, Mode::Charge, &request).await.ok()?[0];
    (by_script == decide(&twins.memory, Mode::Charge, &request).await.unwrap()[0]).then_some(by_script)
}

async fn admitted(twins: &mut Twins, limit: Limit, at: Duration, calls: u32) -> Option<u32> {
    let mut admitted = 0;
    for _ in 0..calls {
        admitted += u32::from(ask(twins, limit, at).await?.is_allowed());
    }
    Some(admitted)
}

fn end_of(limit: Limit, at: Duration) -> Duration {
    at + limit.until_window_ends(at).unwrap()
}

/// Fills a window of five units, and steps back over its begin. Returns `None` unless the window admits five calls, and ends
/// when the calendar ends it.
pub(crate) async fn steps_back_over_a_boundary(twins: &mut Twins) -> Option<()> {
    let mut is_right = true;
    for window in Calendar::ALL {
        for (zone, step) in [("+00:00", MS), ("-03:30", 10 * MINUTE), ("+14:00", HOUR)] {
            twins.clear();
            let limit = Limit::calendar(5, window).zone(zone);
            let begin = end_of(limit, NOW);
            let end = end_of(limit, begin);
            let before = admitted(twins, limit, begin + 5 * MINUTE, 4).await?;
            let back = ask(twins, limit, begin.saturating_sub(step)).await?;
            let later = admitted(twins, limit, begin.saturating_sub(step), 2).await?
                + admitted(twins, limit, begin, 2).await?;
            is_right &= (before, back.is_allowed(), later) == (4, true, 0);
            is_right &= back.reset_after() == end.saturating_sub(begin.saturating_sub(step));
            is_right &= admitted(twins, limit, end.saturating_sub(MS), 1).await? == 0;
            is_right &= admitted(twins, limit, end, 6).await? == 5;
        }
    }
    is_right.then_some(())
}

/// Replaces a window that ends after the next window of a shorter limit. Returns `None` unless the first admitted
/// call moves its end.
pub(crate) async fn shortens_windows(twins: &mut Twins) -> Option<()> {
    let mut is_right = true;
    let all = Calendar::ALL;
    for (short, long) in [(all[0], all[1]), (all[0], all[3]), (all[1], all[3])] {
        twins.clear();
        let (short, long) = (Limit::calendar(5, short), Limit::calendar(5, long));
        is_right &= ask(twins, long, NOW).await?.is_allowed();
        let moved = ask(twins, short, NOW).await?;
        is_right &= moved.remaining() == 3 && NOW + moved.reset_after() == end_of(short, NOW);
    }
    is_right.then_some(())
}

#[tokio::test]
async fn a_window_admits_no_more_when_the_clock_steps_back_over_its_begin() {
    assert!(steps_back_over_a_boundary(&mut Twins::start()).await.is_some());
}

#[tokio::test]
async fn a_window_after_the_next_one_is_moved_by_a_call_of_a_shorter_limit() {
    assert!(shortens_windows(&mut Twins::start()).await.is_some());
}
