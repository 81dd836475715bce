//! Rules for calls that arrive at the same time, from several tasks.

use crate::decision::Decision;
use crate::error::Error;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Decisions, Mode, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Decides each of these stacks in a separate task. Returns the number of stacks that were admitted.
async fn together(run: &mut Run<'_>, stacks: Vec<Vec<Request>>) -> Checked<u32> {
    let (calls, mut tasks) = (stacks.len(), JoinSet::new());
    for stack in stacks {
        let store = Arc::clone(run.store());
        tasks.spawn(async move {
            let requests: Vec<&Request> = stack.iter().collect();
            store.decide(Mode::Check, &requests).await
        });
    }
    let outcomes: Vec<Result<Decisions, Error>> = tasks.join_all().await;
    let mut admitted = 0;
    for outcome in outcomes {
        match outcome {
            Ok(decisions) => admitted += u32::from(decisions.iter().all(Decision::is_allowed)),
            Err(error) => return Err(run.fail(format!("the store failed when calls came together: {error}"))),
        }
    }
    run.note(format_args!("{calls} calls together: {admitted} admitted"));
    Ok(admitted)
}

fn judge(run: &mut Run<'_>, admitted: u32, capacity: u32) -> Checked {
    run.expect(
        admitted <= capacity,
        format!("the store admitted {admitted} calls that came together, and the limit holds {capacity}"),
    )?;
    run.expect(
        admitted == capacity,
        format!(
            "the store admitted {admitted} calls that came together, and the limit had room for {capacity}"
        ),
    )
}

pub(super) async fn share_the_limit(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let one = |number: u32| vec![run.request(&Ask::new("a", limit, 1).permit(u64::from(number) + 2))];
    let calls = (0..8 * limit.capacity()).map(one).collect();
    let admitted = together(run, calls).await?;
    judge(run, admitted, limit.capacity())
}

/// Half of the stacks have their members in the opposite order. This must not cause a deadlock.
pub(super) async fn stacks(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let stack = |number: u32| {
        let labels = if number.is_multiple_of(2) { ["a", "b"] } else { ["b", "a"] };
        let [first, second] = labels.map(|label| Ask::new(label, limit, 1));
        vec![run.request(&first.with_next()), run.request(&second)]
    };
    let calls = (0..8 * limit.capacity()).map(stack).collect();
    let admitted = together(run, calls).await?;
    judge(run, admitted, limit.capacity())
}

pub(super) async fn dropped_replies(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let request = run.request(&Ask::new("a", limit, 1));
    for _ in 0..2 {
        drop(run.store().decide(Mode::Check, &[&request]));
        run.note("check 1 under `a`, and drop the reply");
    }
    let other = run.decide(Mode::Check, &[Ask::new("b", limit, 1)]).await?[0];
    run.expect(
        other.is_allowed() && other.remaining() == limit.capacity() - 1,
        "a dropped reply changed another key",
    )?;
    let mut admitted = 0;
    for _ in 0..=limit.capacity() {
        admitted += u32::from(run.ask(Mode::Check, limit, 1).await?.is_allowed());
    }
    let most = limit.capacity();
    let plausible = (most - 2..=most).contains(&admitted);
    run.expect(
        plausible,
        format!("after two dropped replies the store admitted {admitted} calls of at most {most}"),
    )
}

/// Makes each of these adjustments in a separate task. Returns the sum of the changed units.
async fn adjust_together(run: &mut Run<'_>, adjustments: Vec<Adjustment>) -> Checked<u32> {
    let (number, mut tasks) = (adjustments.len(), JoinSet::new());
    for adjustment in adjustments {
        let store = Arc::clone(run.store());
        tasks.spawn(async move { store.adjust(&[adjustment]).await });
    }
    let mut sum = 0;
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(changed) => sum += changed.iter().sum::<u32>(),
            Err(error) => return Err(run.fail(format!("the store failed when calls came together: {error}"))),
        }
    }
    run.note(format_args!("{number} adjustments of 1 unit together: {sum} units"));
    Ok(sum)
}

pub(super) async fn adjustments(run: &mut Run<'_>, limit: Limit) -> Checked {
    let capacity = limit.capacity();
    let mut returns = Vec::new();
    for _ in 0..capacity {
        let charged = run.ask(Mode::Charge, limit, 1).await?;
        let give = Change::Give(charged.stamp());
        returns.extend([0; 4].map(|_| Adjustment::new(run.key("a", &limit), limit, 1, give)));
    }
    let returned = adjust_together(run, returns).await?;
    run.expect(
        returned == capacity,
        format!("returns that came together returned {returned} of {capacity} units"),
    )?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == capacity, "units were still in use after returns that came together")?;
    if limit.is_concurrency() {
        return Ok(());
    }
    let take = |_| Adjustment::new(run.key("a", &limit), limit, 1, Change::Take);
    let taken = adjust_together(run, (0..8 * capacity).map(take).collect()).await?;
    let most = 2 * capacity;
    run.expect(
        taken == most,
        format!("penalties that came together took {taken} units, and {most} are correct"),
    )
}
