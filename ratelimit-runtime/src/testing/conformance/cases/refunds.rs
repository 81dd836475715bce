//! Rules for units that are returned by the stamp of their charge, and for penalties, which take units without a check.

use crate::limit::Limit;
use crate::store::{Change, Mode};
use crate::testing::conformance::run::{Checked, MS, Run};

/// Charges units. Returns the stamp of the charge.
async fn charge(run: &mut Run<'_>, limit: Limit, cost: u32) -> Checked<u64> {
    let decision = run.ask(Mode::Charge, limit, cost).await?;
    run.expect(decision.is_allowed(), "the store refused a call, although the limit had units left")?;
    Ok(decision.stamp())
}

/// Whether the state is a list with an entry for each unit. A store may report such an entry as returned even if the entry no
/// longer counts.
fn is_list(limit: &Limit) -> bool {
    limit.is_list()
}

pub(super) async fn at_once(run: &mut Run<'_>, limit: Limit) -> Checked {
    let stamp = charge(run, limit, 2).await?;
    let returned = run.adjust(limit, 2, Change::Give(stamp)).await?;
    let left = run.peek(limit).await?.remaining();
    let all = returned == 2 && left == limit.capacity();
    run.expect(all, "the store did not return the units of a charge")
}

pub(super) async fn once(run: &mut Run<'_>, limit: Limit) -> Checked {
    let stamp = charge(run, limit, 2).await?;
    run.adjust(limit, 2, Change::Give(stamp)).await?;
    let again = run.adjust(limit, 2, Change::Give(stamp)).await?;
    run.expect(is_list(&limit) || again == 0, "the store returned the units of one charge twice")?;
    charge(run, limit, limit.capacity()).await?;
    let over = run.ask(Mode::Check, limit, 1).await?;
    run.expect(
        !over.is_allowed(),
        "the store returned the units of one charge twice, and then admitted too much",
    )?;
    if !is_list(&limit) {
        return Ok(());
    }
    // Makes two charges at different times. A refund of one charge must not affect the other charge.
    run.reset(&[run.key("a", &limit)]).await?;
    let first = charge(run, limit, 1).await?;
    run.pass(MS).await;
    charge(run, limit, 1).await?;
    for _ in 0..2 {
        run.adjust(limit, 1, Change::Give(first)).await?;
    }
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.capacity() - 1, "the store returned the units of another charge")
}

pub(super) async fn after_reset(run: &mut Run<'_>, limit: Limit) -> Checked {
    let mut earlier = Vec::new();
    for _ in 0..3 {
        earlier.push(charge(run, limit, limit.capacity()).await?);
        run.reset(&[run.key("a", &limit)]).await?;
        // A log knows charges by their times.
        run.pass(MS).await;
        charge(run, limit, limit.capacity()).await?;
        for stamp in &earlier {
            let returned = run.adjust(limit, limit.capacity(), Change::Give(*stamp)).await?;
            let over = run.ask(Mode::Check, limit, 1).await?;
            let right = returned == 0 && !over.is_allowed();
            run.expect(
                right,
                "the store returned the units of a charge from before a reset to a call from after it",
            )?;
        }
        run.reset(&[run.key("a", &limit)]).await?;
        run.pass(MS).await;
    }
    let stamp = charge(run, limit, limit.capacity()).await?;
    let returned = run.adjust(limit, limit.capacity(), Change::Give(stamp)).await?;
    run.expect(
        returned == limit.capacity(),
        "the store did not return the units of a charge from after a reset",
    )
}

pub(super) async fn not_too_late(run: &mut Run<'_>, limit: Limit) -> Checked {
    let early = run.ask(Mode::Charge, limit, limit.capacity()).await?;
    run.pass(early.reset_after()).await;
    charge(run, limit, limit.capacity()).await?;
    let returned = run.adjust(limit, limit.capacity(), Change::Give(early.stamp())).await?;
    let left = run.peek(limit).await?.remaining();
    let nothing = left == 0 && (is_list(&limit) || returned == 0);
    run.expect(nothing, "the store returned units of a charge whose time was over")
}

pub(super) async fn stamps(run: &mut Run<'_>, limit: Limit) -> Checked {
    for mode in [Mode::Peek, Mode::Check] {
        let decision = run.ask(mode, limit, 1).await?;
        run.expect(decision.stamp() == 0, "the store returned a stamp to a call that returns nothing later")?;
    }
    let charged = run.ask(Mode::Charge, limit, limit.capacity() - 1).await?;
    run.expect(charged.stamp() > 0, "the store returned no stamp for a charge")?;
    let refused = run.ask(Mode::Charge, limit, 1).await?;
    run.expect(refused.stamp() == 0, "the store returned a stamp to a refused call")?;
    let returned = run.adjust(limit, 1, Change::Give(0)).await?;
    let left = run.peek(limit).await?.remaining();
    run.expect(returned == 0 && left == 0, "the store returned units without the stamp of a charge")
}

pub(super) async fn penalties(run: &mut Run<'_>, limit: Limit) -> Checked {
    let capacity = limit.capacity();
    let most = run.adjust(limit, u32::MAX, Change::Take).await?;
    run.expect(most == 2 * capacity, "a penalty did not take the units down to one capacity of debt")?;
    let more = run.adjust(limit, 1, Change::Take).await?;
    run.expect(more == 0, "a penalty took more than one capacity of debt")?;
    let used = run.adjust(limit, 0, Change::Used).await?;
    run.expect(used == 2 * capacity, "the units of a penalty were not all in use")?;
    let refused = run.peek(limit).await?;
    run.expect(
        !refused.is_allowed() && refused.remaining() == 0,
        "the store admitted a call of a limit in debt",
    )?;
    run.pass(refused.reset_after()).await;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == capacity, "units were still in use after `reset_after`")?;
    let used = run.adjust(limit, 0, Change::Used).await?;
    run.expect(used == 0, "the units in use and the free units are not one capacity together")
}
