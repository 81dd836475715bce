//! Rules for blocks and pauses: a refused caller stays refused for growing steps, callers can be blocked by hand, and a limit
//! can be paused.

use super::seconds;
use crate::error::ErrorKind;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode};
use crate::testing::conformance::run::{Checked, Run, Stop};
use std::time::Duration;

pub(super) const STEPS: [Duration; 4] = [seconds(5), seconds(6), seconds(7), seconds(8)];

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

/// Makes calls until one is refused, which must begin a block for this step.
async fn until_blocked(run: &mut Run<'_>, limit: Limit, step: Duration) -> Checked {
    let wait = until_refused(run, limit).await?;
    let is_step = run.is_time(wait, step);
    run.expect(is_step, format!("the store did not block a refused caller for the step of {step:?}"))
}

pub(super) async fn steps(run: &mut Run<'_>, limit: Limit) -> Checked {
    let steps: Vec<Duration> = limit.blocks().collect();
    let last = steps[steps.len() - 1];
    for &step in steps.iter().chain([&last]) {
        until_blocked(run, limit, step).await?;
        run.pass(seconds(3)).await;
        let rest = until_refused(run, limit).await?;
        let is_rest = run.is_time(rest, step.saturating_sub(seconds(3)));
        run.expect(is_rest, "a call during a block changed the end of the block")?;
        run.pass(rest).await;
        let admitted = run.ask(Mode::Check, limit, 1).await?;
        run.expect(admitted.is_allowed(), "the store refused a caller whose block was over")?;
    }
    run.pass(last).await;
    let first = until_refused(run, limit).await?;
    let is_first = run.is_time(first, steps[0]);
    run.expect(is_first, "the steps did not start over after the time of the longest step without a refusal")
}

pub(super) async fn steps_and_blocks_by_hand(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    until_blocked(run, limit, STEPS[0]).await?;
    close(run, limit, Change::Block(2000), "block by hand").await?;
    run.pass(seconds(2)).await;
    until_blocked(run, limit, STEPS[1]).await?;
    run.adjust(limit, 0, Change::Open).await?;
    until_blocked(run, limit, STEPS[0]).await
}

/// Makes a change that closes a key. Ends the check if the store does not support the change.
async fn close(run: &mut Run<'_>, limit: Limit, change: Change, what: &str) -> Checked {
    let adjustment = Adjustment::new(run.key("a", &limit), limit, 0, change);
    match run.store().adjust(&[adjustment]).await {
        Ok(changed) => {
            run.expect(changed[..] == [1], format!("the store did not reply with 1 to a {what}"))?;
        }
        Err(error) if error.kind() == ErrorKind::Configuration => {
            return Err(Stop::Skipped(format!("the store does not support a {what}")));
        }
        Err(error) => return Err(run.fail(format!("the store failed: {error}"))),
    }
    run.note(format_args!("{change:?} under `a`: 1"));
    Ok(())
}

const LONGEST: Duration = seconds(366 * 86_400);
const LONGEST_MS: u64 = 366 * 86_400_000;

pub(super) async fn by_hand(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    // The second block replaces the first one, and the third block is longer than 2^32 ms.
    for (ms, time) in [(9000, seconds(9)), (5000, seconds(5)), (LONGEST_MS, LONGEST)] {
        close(run, limit, Change::Block(ms), "block by hand").await?;
        let refused = run.ask(Mode::Check, limit, 1).await?;
        let wait = refused.retry_after().unwrap_or_default();
        let is_blocked = !refused.is_allowed() && run.is_time(wait, time);
        run.expect(is_blocked, "the store did not refuse a blocked caller until the end of the block")?;
    }
    let opened = run.adjust(limit, 0, Change::Open).await?;
    run.expect(opened == 1, "the store did not end a block")?;
    close(run, limit, Change::Block(5000), "block by hand").await?;
    run.reset(&[run.key("a", &limit)]).await?;
    let free = run.peek(limit).await?.is_allowed();
    run.expect(free, "a reset left a block")?;
    run.take(limit, limit.capacity()).await?;
    let again = run.adjust(limit, 0, Change::Open).await?;
    run.expect(again == 0, "the store ended a block that there was not")
}

pub(super) async fn paused(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    // A shorter pause does not replace a longer one.
    for ms in [3000, 2000] {
        close(run, limit, Change::Pause(ms), "pause").await?;
        let closed = run.adjust(limit, 0, Change::Closed).await?;
        let is_closed = run.is_time(Duration::from_millis(closed.into()), seconds(3));
        run.expect(is_closed, "the store did not report the time until the end of a pause")?;
    }
    let refused = run.ask(Mode::Check, limit, 1).await?;
    let wait = refused.retry_after().unwrap_or_default();
    let is_paused = !refused.is_allowed() && run.is_time(wait, seconds(3));
    run.expect(is_paused, "the store did not refuse a call until the end of a pause")?;
    run.pass(seconds(3)).await;
    let closed = run.adjust(limit, 0, Change::Closed).await?;
    run.expect(closed == 0, "a pause did not end")?;
    run.take(limit, 1).await?;
    close(run, limit, Change::Pause(LONGEST_MS), "pause").await?;
    let closed = run.adjust(limit, 0, Change::Closed).await?;
    run.expect(closed == u32::MAX, "the store reported a wrong time until the end of a pause of 366 days")?;
    let opened = run.adjust(limit, 0, Change::Open).await?;
    run.expect(opened == 1, "the store did not end a pause")
}
