//! Rules for blocks: a refused caller stays refused for growing steps, and callers can be blocked by hand.

use super::seconds;
use crate::error::ErrorKind;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode};
use crate::testing::conformance::run::{Checked, Run, Stop};
use std::time::Duration;

pub(super) const STEPS: [Duration; 2] = [seconds(7), seconds(9)];

/// Makes calls until one is refused. Returns the wait of the refused call.
async fn until_refused(run: &mut Run<'_>, limit: Limit) -> Checked<Duration> {
    for _ in 0..=limit.capacity() {
        let decision = run.ask(Mode::Check, limit, 1).await?;
        if !decision.is_allowed() {
            return Ok(decision.retry_after().unwrap_or_default());
        }
    }
    Err(run.fail("the store admitted more than the limit holds"))
}

pub(super) async fn steps(run: &mut Run<'_>, limit: Limit) -> Checked {
    let first = until_refused(run, limit).await?;
    let is_step = run.is_time(first, STEPS[0]);
    run.expect(is_step, "the store did not block a refused caller for the first step")?;
    run.pass(seconds(3)).await;
    let rest = until_refused(run, limit).await?;
    let is_rest = run.is_time(rest, STEPS[0].saturating_sub(seconds(3)));
    run.expect(is_rest, "a call during a block changed the end of the block")?;
    run.pass(rest).await;
    let admitted = run.ask(Mode::Check, limit, 1).await?;
    run.expect(admitted.is_allowed(), "the store refused a caller whose block was over")?;
    let second = until_refused(run, limit).await?;
    let is_step = run.is_time(second, STEPS[1]);
    run.expect(is_step, "the store did not block a caller for the next step after the next refusal")
}

pub(super) async fn by_hand(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let block = Adjustment::new(run.key("a", &limit), limit, 0, Change::Block(5000));
    match run.store().adjust(&[block]).await {
        Ok(changed) => run.expect(changed[..] == [1], "the store did not reply with 1 to a block")?,
        Err(error) if error.kind() == ErrorKind::Configuration => {
            return Err(Stop::Skipped("the store does not block callers by hand".to_owned()));
        }
        Err(error) => return Err(run.fail(format!("the store failed: {error}"))),
    }
    run.note("block the callers of `a` for 5 s");
    let refused = run.ask(Mode::Check, limit, 1).await?;
    let wait = refused.retry_after().unwrap_or_default();
    let is_blocked = !refused.is_allowed() && run.is_time(wait, seconds(5));
    run.expect(is_blocked, "the store did not refuse a blocked caller until the end of the block")?;
    let opened = run.adjust(limit, 0, Change::Open).await?;
    run.expect(opened == 1, "the store did not end a block")?;
    run.take(limit, limit.capacity()).await?;
    let again = run.adjust(limit, 0, Change::Open).await?;
    run.expect(again == 0, "the store ended a block that there was not")
}
