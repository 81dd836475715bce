//! Rules for keys: each key has its own units, whatever bytes it contains.

use crate::limit::Limit;
use crate::store::Mode;
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run, Stop};

pub(super) async fn no_shared_units(run: &mut Run<'_>, limit: Limit) -> Checked {
    let (long, longer) = ("x".repeat(300), "x".repeat(301));
    let labels = [
        "a", "ab", "a:b", "a:", "A", "a ", "", "a%", "a_", "a'", "a\"", "a\\", "a\0", "1", "01", "1.0", "é",
        "e\u{301}", &long, &longer,
    ];
    for (number, label) in labels.into_iter().enumerate() {
        let permit = run.fresh_permit();
        let all = [Ask::new(label, limit, limit.capacity()).permit(permit)];
        if !run.decide(Mode::Check, &all).await?[0].is_allowed() {
            return Err(shares_units(run, limit, label, &labels[..number]).await?);
        }
    }
    Ok(())
}

/// The key with this label shares its units with an earlier key. Finds that key, and returns the failure that names it.
async fn shares_units(run: &mut Run<'_>, limit: Limit, label: &str, earlier: &[&str]) -> Checked<Stop> {
    for other in earlier {
        let mut both = run.anew();
        let all = |label, permit| [Ask::new(label, limit, limit.capacity()).permit(permit)];
        let _ = both.decide(Mode::Check, &all(other, 11)).await?;
        if !both.decide(Mode::Check, &all(label, 12)).await?[0].is_allowed() {
            let [label, other] = [label, other].map(shown);
            return Ok(
                both.fail(format!("the store does not distinguish a key with {other} from one with {label}"))
            );
        }
    }
    Ok(run.fail("the store refused a call, although the limit had units left"))
}

fn shown(label: &str) -> String {
    match label.len() {
        0..20 => format!("{label:?}"),
        bytes => format!("{bytes} times {:?}", &label[..1]),
    }
}

pub(super) async fn reset(run: &mut Run<'_>, limit: Limit) -> Checked {
    for (permit, label) in [(11, "a"), (12, "ab")] {
        run.decide(Mode::Check, &[Ask::new(label, limit, limit.capacity()).permit(permit)]).await?;
    }
    let [one, never] = ["a", "b"].map(|label| run.key(label, &limit));
    let existed = run.reset(&[one.clone(), never]).await?;
    run.expect(existed == 1, "a reset did not report how many keys had a state")?;
    let decisions = run.decide(Mode::Peek, &[Ask::new("a", limit, 1), Ask::new("ab", limit, 1)]).await?;
    run.expect(decisions[0].remaining() == limit.capacity(), "units were in use after a reset")?;
    run.expect(decisions[0].reset_after().is_zero(), "a reset left a state")?;
    run.expect(decisions[1].remaining() == 0, "a reset freed the units of another key")?;
    let again = run.reset(&[one]).await?;
    run.expect(again == 0, "a reset reported a state that had been deleted")
}
