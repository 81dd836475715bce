//! Rules for the units that a limit admits, for the time at which a refused call passes, and for requests that change nothing.

use crate::decision::Decision;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, MS, Run};
use std::time::Duration;

pub(super) async fn admits_what_it_holds(run: &mut Run<'_>, limit: Limit) -> Checked {
    let capacity = limit.capacity();
    for used in 1..=capacity {
        let decision = run.ask(Mode::Check, limit, 1).await?;
        run.expect(decision.is_allowed(), "the store refused a call, although the limit had units left")?;
        run.expect(decision.capacity() == capacity, "the store reported a wrong capacity")?;
        let left = capacity - used;
        run.expect(
            decision.remaining() == left,
            format!("the store reported a wrong number of units left: {left} are left"),
        )?;
    }
    let over = run.ask(Mode::Check, limit, 1).await?;
    run.expect(!over.is_allowed(), "the store admitted more than the limit holds")?;
    run.expect(over.remaining() == 0, "the store reported units of a limit that is used up")
}

pub(super) async fn passes_at_retry_after(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.take(limit, limit.capacity()).await?;
    run.pass(500 * MS).await;
    run.passes_at_retry_after(limit, 2 * limit.time()).await
}

pub(super) async fn refusals_change_nothing(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.take(limit, limit.capacity()).await?;
    let before = run.peek(limit).await?;
    for mode in [Mode::Check, Mode::Charge, Mode::Check] {
        let refused = run.ask(mode, limit, 1).await?;
        let same = if run.is_exact() { refused == before } else { !refused.is_allowed() };
        run.expect(same, "a refused call changed the state of the limit")?;
    }
    run.pass(before.retry_after().unwrap_or_default()).await;
    let passes = run.ask(Mode::Check, limit, 1).await?;
    run.expect(passes.is_allowed(), "refused calls prolonged the refusal")
}

pub(super) async fn too_large_costs(run: &mut Run<'_>, limit: Limit) -> Checked {
    let refused = run.ask(Mode::Check, limit, limit.capacity() + 1).await?;
    run.expect(!refused.is_allowed(), "the store admitted a cost above the capacity")?;
    let never = refused.retry_after().is_none();
    run.expect(never, "the store said that a cost above the capacity would pass later")?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.capacity(), "the store charged a cost above the capacity")
}

pub(super) async fn costs_of_zero(run: &mut Run<'_>, limit: Limit) -> Checked {
    let free = run.ask(Mode::Charge, limit, 0).await?;
    run.expect(free.is_allowed(), "the store refused a cost of zero, although the limit was not exceeded")?;
    run.expect(free.remaining() == limit.capacity() && free.stamp() == 0, "a cost of zero took units")?;
    run.take(limit, limit.capacity()).await?;
    let used_up = run.ask(Mode::Check, limit, 0).await?;
    run.expect(
        used_up.is_allowed(),
        "the store refused a cost of zero, although the limit was not exceeded",
    )?;
    if limit.is_concurrency() {
        return Ok(());
    }
    run.adjust(limit, 1, Change::Take).await?;
    let exceeded = run.ask(Mode::Check, limit, 0).await?;
    run.expect(!exceeded.is_allowed(), "the store admitted a cost of zero, although the limit was exceeded")
}

pub(super) async fn peeks_take_nothing(run: &mut Run<'_>, limit: Limit) -> Checked {
    for mode in [Mode::Check, Mode::Peek] {
        for _ in 0..=limit.capacity() {
            let peek = run.peek(limit).await?;
            let left = if mode == Mode::Check { limit.capacity() } else { 0 };
            run.expect(peek.remaining() == left && peek.is_allowed() == (left > 0), "a peek took units")?;
        }
        let decision = run.ask(mode, limit, limit.capacity()).await?;
        run.expect(decision.is_allowed() == (mode == Mode::Check), "a peek changed the next decision")?;
    }
    Ok(())
}

pub(super) async fn all_free_after_reset(run: &mut Run<'_>, limit: Limit) -> Checked {
    let unused = run.peek(limit).await?;
    run.expect(unused.reset_after().is_zero(), "the store reported a `reset_after` for an unused limit")?;
    let charged = run.ask(Mode::Check, limit, 2).await?;
    let mut reset = charged.reset_after();
    run.expect(reset >= MS, "the store reported no `reset_after`, although units are in use")?;
    if run.is_exact() {
        run.pass(reset.saturating_sub(MS)).await;
        let early = run.peek(limit).await?;
        run.expect(early.remaining() < limit.capacity(), "the store freed all units before `reset_after`")?;
        reset = MS;
    }
    run.pass(reset).await;
    let after = run.peek(limit).await?;
    let all_free = after.remaining() == limit.capacity() && after.reset_after() == Duration::ZERO;
    run.expect(all_free, "units were still in use after `reset_after`")
}

pub(super) async fn refuses_every_call(run: &mut Run<'_>, limit: Limit) -> Checked {
    for cost in [0, 1] {
        let refused = run.ask(Mode::Check, limit, cost).await?;
        run.expect(!refused.is_allowed(), "the store admitted a call of a limit of zero")?;
        run.expect(
            refused.retry_after().is_none(),
            "the store said that a limit of zero would admit a call",
        )?;
    }
    Ok(())
}

pub(super) async fn batches_in_order(run: &mut Run<'_>, limit: Limit) -> Checked {
    let one = |number: u32| Ask::new("a", limit, 1).permit(u64::from(number) + 2);
    let asks: Vec<Ask<'_>> = (0..=limit.capacity()).map(one).collect();
    let decisions = run.decide(Mode::Check, &asks).await?;
    let (last, first) =
        decisions.split_last().unwrap_or_else(|| unreachable!("there is one decision for each request"));
    let in_order = first.iter().all(Decision::is_allowed) && !last.is_allowed();
    run.expect(in_order, "the store decided a request of a batch without the charges of the earlier ones")
}

pub(super) async fn large_batches(run: &mut Run<'_>, limit: Limit) -> Checked {
    const KEYS: u32 = 1500;
    run.needs(&limit)?;
    let labels: Vec<String> = (0..KEYS).map(|number| number.to_string()).collect();
    // Of two calls on each key, the second one does not fit. Between them are the calls on many other keys.
    let asks: Vec<Ask<'_>> = labels.iter().chain(&labels).map(|label| Ask::new(label, limit, 2)).collect();
    let requests: Vec<Request> = asks.iter().map(|ask| run.request(ask)).collect();
    let reply = run.store().decide(Mode::Check, &requests.iter().collect::<Vec<_>>());
    let decided = run.reply("decide", reply).await?;
    let admitted: Vec<bool> = decided.iter().map(Decision::is_allowed).collect();
    let expected: Vec<bool> = (0..2 * KEYS).map(|number| number < KEYS).collect();
    run.expect(admitted == expected, format!("the store decided a batch of {} requests wrongly", 2 * KEYS))?;
    let keys: Vec<StoreKey> = labels.iter().map(|label| run.key(label, &limit)).collect();
    let take = |key: &StoreKey| Adjustment::new(key.clone(), limit, 1, Change::Take);
    let reply = run.store().adjust(&keys.iter().map(take).collect::<Vec<_>>());
    let all_taken = run.reply("adjust", reply).await?[..] == [1; KEYS as usize];
    run.expect(all_taken, format!("the store made a batch of {KEYS} penalties wrongly"))?;
    let existed = run.reset(&keys).await?;
    run.expect(existed == u64::from(KEYS), format!("a reset of {KEYS} keys did not delete their states"))
}

pub(super) async fn probes(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let reply = run.store().probe(&run.key("probe", &limit));
    for reply in run.reply("probe", reply).await? {
        run.reply("the reply of a server to a probe", reply).await?;
    }
    let is_connected = run.store().is_connected();
    run.expect(is_connected, "a store that decides said that it is not connected")
}

pub(super) async fn leaves_units_to_others(run: &mut Run<'_>, limit: Limit) -> Checked {
    let capacity = limit.capacity();
    let ask = |permit: u64, keep: u32| [Ask::new("a", limit, 1).permit(permit).keep(keep)];
    let never = run.decide(Mode::Check, &ask(11, capacity)).await?[0];
    let is_never = !never.is_allowed() && never.retry_after().is_none();
    run.expect(is_never, "the store would admit a call that leaves more to others than the limit holds")?;
    let first = run.decide(Mode::Check, &ask(12, capacity - 1)).await?[0];
    run.expect(first.is_allowed(), "the store refused a call that left enough units to others")?;
    run.expect(
        first.remaining() == capacity - 1,
        "the store charged the units that a call leaves to others",
    )?;
    let refused = run.decide(Mode::Check, &ask(13, capacity - 1)).await?[0];
    run.expect(!refused.is_allowed(), "the store admitted a call that left too few units to others")?;
    let last = run.ask(Mode::Check, limit, capacity - 1).await?;
    run.expect(
        last.is_allowed(),
        "the store refused a call that leaves nothing to others, although the limit had units left",
    )
}
