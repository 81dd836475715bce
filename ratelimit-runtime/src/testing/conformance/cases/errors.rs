//! Rules for requests to which a store must reply with an error: wrong stacks, changes that a limit does not have, and limits
//! that the store does not support.

use super::seconds;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode, Request};
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
    let (permits, log) = (Limit::concurrency(3, seconds(3)), Limit::sliding_log(3, seconds(3)));
    let changes = [
        ("a renewal of units that are not permits", limit, Change::Renew(11)),
        ("a penalty of permits", permits, Change::Take),
        ("a block of permits", permits, Change::Block(1000)),
        ("a pause of a log", log, Change::Pause(1000)),
        ("a block of 0 ms", limit, Change::Block(0)),
        ("a block of more than 366 days", limit, Change::Block(367 * 86_400_000)),
    ];
    for (what, limit, change) in changes {
        let wrong = Adjustment::new(run.key("a", &limit), limit, 1, change);
        let reply = run.store().adjust(&[wrong]);
        let error = run.error_of(what, reply).await?;
        is_configuration(run, &error)?;
    }
    let adjustment = |change| Adjustment::new(run.key("a", &limit), limit, 1, change);
    let reply = run.store().adjust(&[adjustment(Change::Take), adjustment(Change::Renew(11))]);
    let error = run.error_of("a penalty, and a renewal of units that are not permits", reply).await?;
    is_configuration(run, &error)?;
    let left = run.peek(limit).await?.remaining();
    run.expect(left == limit.capacity(), "the store made a part of the adjustments of a wrong batch")
}

pub(super) async fn unsupported(run: &mut Run<'_>, limit: Limit) -> Checked {
    if run.needs(&limit).is_ok() {
        return Ok(());
    }
    let request = run.request(&Ask::new("a", limit, 1));
    let decided = run.store().decide(Mode::Check, &[&request]);
    let error = run.error_of("a limit that it does not support", decided).await?;
    is_configuration(run, &error)?;
    let other = Limit::counter(3, seconds(3));
    if run.needs(&other).is_err() {
        return Ok(());
    }
    let supported = run.request(&Ask::new("b", other, 1));
    let decided = run.store().decide(Mode::Check, &[&supported, &request]);
    let error = run.error_of("a batch with a limit that it does not support", decided).await?;
    is_configuration(run, &error)?;
    let left = run.decide(Mode::Peek, &[Ask::new("b", other, 1)]).await?[0].remaining();
    run.expect(left == other.capacity(), "the store charged a request of a batch that it did not decide")
}
