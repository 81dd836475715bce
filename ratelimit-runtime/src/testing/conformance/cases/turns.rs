//! Rules for calls that wait for a turn. The store reserves turns in the order of arrival.

use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Change, Mode};
use crate::testing::conformance::run::{Checked, Run};
use std::time::Duration;

/// More calls than can have a turn within the `wait` of any limit of these rules.
const MOST: u32 = 20;

/// Makes calls until one has to wait. Returns the decision about that call.
async fn until_one_waits(run: &mut Run<'_>, limit: Limit) -> Checked<Decision> {
    for _ in 0..MOST {
        let decision = run.ask(Mode::Charge, limit, 1).await?;
        if !decision.delay().is_zero() || !decision.is_allowed() {
            run.expect(
                decision.is_allowed(),
                "the store refused a call that could have waited for its turn",
            )?;
            return Ok(decision);
        }
    }
    Err(run.fail("the store admitted more calls at once than the limit holds"))
}

pub(super) async fn in_order(run: &mut Run<'_>, limit: Limit) -> Checked {
    let mut last = until_one_waits(run, limit).await?.delay();
    for _ in 0..MOST {
        let decision = run.ask(Mode::Charge, limit, 1).await?;
        if !decision.is_allowed() {
            let wait = decision.retry_after();
            return run.expect(wait.is_some(), "the store said that a call would never have a turn");
        }
        let delay = decision.delay();
        let in_order = delay >= last || !run.is_exact() && run.is_time(delay, last);
        run.expect(in_order, "the store gave a call an earlier turn than the call before it")?;
        run.expect(delay <= limit.longest_wait(), "the store gave a call a turn beyond its longest wait")?;
        last = delay;
    }
    Err(run.fail("the store gave more turns than fit into the longest wait"))
}

pub(super) async fn checks_do_not_wait(run: &mut Run<'_>, limit: Limit) -> Checked {
    let _ = until_one_waits(run, limit).await?;
    for mode in [Mode::Check, Mode::Peek] {
        let decision = run.ask(mode, limit, 1).await?;
        let refused = !decision.is_allowed() && decision.delay() == Duration::ZERO;
        run.expect(refused, "the store gave a turn to a call that does not wait")?;
    }
    Ok(())
}

pub(super) async fn returned(run: &mut Run<'_>, limit: Limit) -> Checked {
    let waits = until_one_waits(run, limit).await?;
    let returned = run.adjust(limit, 1, Change::Give(waits.stamp())).await?;
    run.expect(returned == 1, "the store did not return the turn of the last call")?;
    let next = run.ask(Mode::Charge, limit, 1).await?;
    let same = next.is_allowed() && run.is_time(next.delay(), waits.delay());
    run.expect(same, "the store did not give a returned turn to the next call")
}
