//! Rules for permits: a permit is held until it is returned or its lease ends. Calls that wait for a permit keep their order.

use super::seconds;
use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Change, Mode};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, MS, Run};

/// Asks for a permit with this id. Returns whether the store gave it.
async fn ask(run: &mut Run<'_>, limit: Limit, id: u64) -> Checked<bool> {
    Ok(run.decide(Mode::Charge, &[Ask::new("a", limit, 1).permit(id)]).await?[0].is_allowed())
}

pub(super) async fn held(run: &mut Run<'_>, limit: Limit) -> Checked {
    for id in 11..14 {
        let decision = run.decide(Mode::Charge, &[Ask::new("a", limit, 1).permit(id)]).await?[0];
        run.expect(decision.is_allowed(), "the store refused a permit, although one was free")?;
        run.expect(decision.stamp() == id, "the stamp of a permit is not its id")?;
    }
    run.pass(seconds(2)).await;
    let more = ask(run, limit, 14).await?;
    run.expect(!more, "the store gave more permits than the limit has")?;
    let returned = run.adjust(limit, 1, Change::Give(12)).await?;
    run.expect(returned == 1, "the store did not return a permit")?;
    let next = ask(run, limit, 15).await?;
    run.expect(next, "the store refused a permit, although one was returned")
}

pub(super) async fn lease(run: &mut Run<'_>, limit: Limit) -> Checked {
    ask(run, limit, 11).await?;
    run.pass(seconds(2)).await;
    let renewed = run.adjust(limit, 1, Change::Renew(11)).await?;
    run.expect(renewed == 1, "the store did not renew the lease of a permit")?;
    run.pass(seconds(2)).await;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.count() - 1, "the store ended a lease that was renewed")?;
    run.pass(seconds(1)).await;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.count(), "a permit was still held after its lease")?;
    let renewed = run.adjust(limit, 1, Change::Renew(11)).await?;
    run.expect(renewed == 0, "the store renewed a lease that had ended")
}

pub(super) async fn several_units(run: &mut Run<'_>, limit: Limit) -> Checked {
    let two = [Ask::new("a", limit, 2).permit(11)];
    run.decide(Mode::Charge, &two).await?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.count() - 2, "a permit of two units did not take two units")?;
    let renewed = run.adjust(limit, 2, Change::Renew(11)).await?;
    run.expect(renewed == 2, "the store did not renew each unit of a permit")?;
    let returned = run.adjust(limit, 2, Change::Give(11)).await?;
    let left = run.peek(limit).await?.remaining();
    run.expect(returned == 2 && left == limit.count(), "the store did not return each unit of a permit")
}

pub(super) async fn of_one_key(run: &mut Run<'_>, limit: Limit) -> Checked {
    let both = ["a", "b"].map(|label| Ask::new(label, limit, 1).permit(11));
    run.decide(Mode::Charge, &both).await?;
    run.adjust(limit, 1, Change::Give(11)).await?;
    let left = run.decide(Mode::Peek, &both).await?.iter().map(Decision::remaining).collect::<Vec<_>>();
    run.expect(
        left == [limit.count(), limit.count() - 1],
        "the store returned a permit with the same id under another key",
    )?;
    let again = run.adjust(limit, 1, Change::Renew(11)).await?;
    run.expect(again == 0, "the store renewed a permit with the same id under another key")
}

pub(super) async fn tickets(run: &mut Run<'_>, limit: Limit) -> Checked {
    for id in [11, 12, 13, 21, 22] {
        let admitted = ask(run, limit, id).await?;
        run.expect(admitted == (id < 20), "the store gave a wrong number of permits")?;
        run.pass(MS).await;
    }
    run.adjust(limit, 1, Change::Give(12)).await?;
    for (id, why) in [(31, "a new call"), (22, "a later call")] {
        let admitted = ask(run, limit, id).await?;
        run.expect(!admitted, format!("{why} overtook a call that waits for a permit"))?;
    }
    let first = ask(run, limit, 21).await?;
    run.expect(first, "the store refused the permit that was returned to the first waiting call")?;
    // After this time, the tickets of the other waiting calls have ended, because these calls no longer ask.
    run.pass(limit.longest_wait()).await;
    run.adjust(limit, 1, Change::Give(11)).await?;
    let check = run.ask(Mode::Check, limit, 1).await?;
    run.expect(check.is_allowed(), "a call kept its place after its longest wait")
}
