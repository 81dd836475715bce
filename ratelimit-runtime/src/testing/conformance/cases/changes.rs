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
