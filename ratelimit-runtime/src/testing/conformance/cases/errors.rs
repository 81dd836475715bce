//! Rules for requests to which a store must reply with an error: wrong stacks, changes that a limit does not have, and limits
//! that the store does not support.

use super::seconds;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::store::{Adjusted, Adjustment, Change, Mode, Reply, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run};

/// Asserts that an error has the kind `Configuration`. For this kind, no failure policy admits the call.
fn is_configuration(run: &mut Run<'_>, error: &Error) -> Checked {
    let kind = error.kind();
    let is_configuration = kind == ErrorKind::Configuration;
    run.expect(
        is_configuration,
        format!("the store replied to a wrong question with an error of the kind {kind:?}"),
    )
}

pub(super) async fn wrong_questions(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let ask = Ask::new("a", limit, 1);
    let [alone, joined, other] = [ask, ask.with_next(), Ask::new("b", limit, 1)].map(|ask| run.request(&ask));
    let questions: [(&str, &[&Request]); 3] = [
        ("a stack without its last member", &[&other, &joined]),
        ("a stack with two equal keys", &[&joined, &alone]),
        ("a batch that ends with a stack of two equal keys", &[&other, &joined, &alone]),
    ];
    for (what, requests) in questions {
        let error = run.error_of(what, run.store().decide(Mode::Check, requests)).await?;
        is_configuration(run, &error)?;
    }
    let peeks = run.decide(Mode::Peek, &[ask, Ask::new("b", limit, 1)]).await?;
    let untouched = peeks.iter().all(|peek| peek.remaining() == limit.capacity());
    run.expect(untouched, "the store charged a request of a batch that it did not decide")?;
    let adjust = |limit: Limit, change: Change| -> Reply<Adjusted> {
        run.store().adjust(&[Adjustment::new(run.key("a", &limit), limit, 1, change)])
    };
    let renewed = adjust(limit, Change::Renew(11));
    let taken = adjust(Limit::concurrency(3, seconds(3)), Change::Take);
    for (what, reply) in
        [("a renewal of units that are not permits", renewed), ("a penalty of permits", taken)]
    {
        let error = run.error_of(what, reply).await?;
        is_configuration(run, &error)?;
    }
    Ok(())
}

pub(super) async fn unsupported(run: &mut Run<'_>, limit: Limit) -> Checked {
    if run.needs(&limit).is_ok() {
        return Ok(());
    }
    let request = run.request(&Ask::new("a", limit, 1));
    let decided = run.store().decide(Mode::Check, &[&request]);
    let error = run.error_of("a limit that it does not support", decided).await?;
    is_configuration(run, &error)
}
