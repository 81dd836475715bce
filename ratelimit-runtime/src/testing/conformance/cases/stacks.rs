//! Rules for stacks: several limits of one call pass as a whole or not at all.

use super::seconds;
use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::Mode;
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run};

const WIDE: Limit = Limit::counter(5, seconds(3));

/// Uses up the limit under the label `narrow`.
async fn use_up(run: &mut Run<'_>, limit: Limit) -> Checked {
    let permit = run.fresh_permit();
    run.decide(Mode::Check, &[Ask::new("narrow", limit, limit.capacity()).permit(permit)]).await?;
    Ok(())
}

pub(super) async fn all_or_nothing(run: &mut Run<'_>, limit: Limit) -> Checked {
    let (first, last) = (Ask::new("first", WIDE, 2), Ask::new("last", WIDE, 1));
    let narrow = Ask::new("narrow", limit, 1);
    let permit = run.fresh_permit();
    let stack = [first.with_next(), narrow.permit(permit).with_next(), last];
    let passes = run.decide(Mode::Check, &stack).await?;
    let all = passes.iter().all(Decision::is_allowed);
    run.expect(all, "the store refused a stack, although each member had units left")?;
    let left = [5 - 2, limit.capacity() - 1, 5 - 1];
    let charged = remaining(run, &[first, narrow, last]).await?;
    run.expect(charged == left, "the store admitted a stack and did not charge each of its members")?;

    run.reset(&[first, narrow, last].map(|ask| run.key(ask.label, &ask.limit))).await?;
    use_up(run, limit).await?;
    for mode in [Mode::Check, Mode::Charge] {
        let permit = run.fresh_permit();
        let stack = [first.with_next(), narrow.permit(permit).with_next(), last];
        let refused = run.decide(mode, &stack).await?;
        let some = refused.iter().any(|decision| !decision.is_allowed());
        run.expect(some, "the store admitted a stack of which a member was used up")?;
        let charged = remaining(run, &[first, last]).await?;
        run.expect(
            charged == [5, 5],
            "the store charged a member of a stack of which another member was refused",
        )?;
    }
    Ok(())
}

async fn remaining(run: &mut Run<'_>, asks: &[Ask<'_>]) -> Checked<Vec<u32>> {
    let peeks = run.decide(Mode::Peek, asks).await?;
    Ok(peeks.iter().map(Decision::remaining).collect())
}

pub(super) async fn own_decisions(run: &mut Run<'_>, limit: Limit) -> Checked {
    use_up(run, limit).await?;
    let permit = run.fresh_permit();
    let (free, narrow) = (Ask::new("free", WIDE, 1), Ask::new("narrow", limit, 1).permit(permit));
    for (stack, refused) in [([free.with_next(), narrow], 1), ([narrow.with_next(), free], 0)] {
        let decisions = run.decide(Mode::Check, &stack).await?;
        let own = !decisions[refused].is_allowed() && decisions[1 - refused].is_allowed();
        run.expect(own, "the store did not say which member of a stack was refused")?;
    }
    Ok(())
}
