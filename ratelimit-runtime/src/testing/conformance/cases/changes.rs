//! Rules for limits that change under a key, as they do with overrides and deployments. The units in use stay in use.

use crate::limit::{Limit, Refill};
use crate::store::Mode;
use crate::testing::conformance::run::{Checked, Run};

/// The same limit with another `count`.
fn with_count(limit: &Limit, count: u32) -> Limit {
    let plain = Limit::plain(limit.algorithm(), count, limit.time()).unwrap_or(*limit);
    if limit.refills_by_interval() { plain.refill(Refill::Interval) } else { plain }
}

pub(super) async fn units_stay(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.take(limit, 2).await?;
    let smaller = run.peek(with_count(&limit, 1)).await?;
    run.expect(!smaller.is_allowed(), "the store forgot units in use when the limit became smaller")?;
    let larger = run.peek(with_count(&limit, 10)).await?;
    let left = larger.remaining();
    run.expect(
        left == 8,
        format!("{left} of 10 units were left after the limit became larger, and 2 are in use"),
    )
}

pub(super) async fn refusals_do_not_lower(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.take(limit, 3).await?;
    for mode in [Mode::Check, Mode::Charge] {
        let refused = run.ask(mode, with_count(&limit, 1), 1).await?;
        run.expect(!refused.is_allowed(), "the store forgot units in use when the limit became smaller")?;
    }
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.capacity() - 3, "a call that a smaller limit refused changed the units in use")
}

pub(super) async fn a_stop_keeps_units(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.take(limit, 2).await?;
    let stopped = run.ask(Mode::Charge, with_count(&limit, 0), 1).await?;
    run.expect(!stopped.is_allowed(), "the store admitted a call of a limit of zero")?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.capacity() - 2, "a limit of zero changed the units in use")
}

pub(super) async fn windows_get_shorter(run: &mut Run<'_>, limit: Limit) -> Checked {
    let longer = Limit::counter(limit.count(), 20 * limit.time());
    run.take(longer, 1).await?;
    let stays = run.peek(limit).await?.reset_after();
    let is_longer = run.is_time(stays, longer.time());
    run.expect(is_longer, "a peek moved the end of a window that was started under another `time`")?;
    let moves = run.ask(Mode::Check, limit, 1).await?;
    let is_shorter = moves.is_allowed() && run.is_time(moves.reset_after(), limit.time());
    run.expect(is_shorter, "the end of a window is further away than the `time` of the last admitted call")?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.count() - 2, "the store forgot units in use when the limit became shorter")?;
    run.take(longer, 1).await?;
    run.pass(limit.time()).await;
    let left = run.peek(longer).await?.remaining();
    run.expect(left == longer.count(), "a longer `time` moved the end of a window")
}
