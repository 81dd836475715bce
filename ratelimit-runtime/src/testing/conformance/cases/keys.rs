//! Rules for keys: each key has its own units, whatever bytes it contains.

use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Mode, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::run::{Checked, Run, Stop};

/// Labels that a database may take for the same text: by their case, spaces, accents, codes or encoding, or because it stores or
/// compares only a part.
fn labels() -> Vec<Vec<u8>> {
    const TEXTS: [&str; 46] = [
        "a",
        "ab",
        "a:b",
        "a:",
        "A",
        "a ",
        " a",
        "",
        " ",
        "a%",
        "a_",
        "a'",
        "a\"",
        "a\\",
        "a\0",
        "a\0b",
        "\0",
        "a\n",
        "a\t",
        "a.",
        "a/",
        "a+",
        "a*",
        "a?",
        "%61",
        "0x61",
        "1",
        "01",
        "1.0",
        "+1",
        "1e0",
        "é",
        "e\u{301}",
        "e",
        "É",
        "ß",
        "ss",
        "ı",
        "i",
        "I",
        "\u{212a}",
        "k",
        "\u{ff41}",
        "a\u{200b}",
        "🦀",
        "🦞",
    ];
    const BYTES: [&[u8]; 4] = [b"\xff", b"\xfe", b"\xff\xff", b"\xc3"];
    const LENGTHS: [usize; 10] = [30, 60, 120, 250, 500, 1000, 2000, 4000, 8000, 70_000];
    let mut labels: Vec<Vec<u8>> = TEXTS.map(|text| text.as_bytes().to_vec()).to_vec();
    labels.extend(BYTES.map(<[u8]>::to_vec));
    for length in LENGTHS {
        labels.extend([vec![b'x'; length], vec![b'x'; length + 1]]);
        labels.extend([0, length / 2, length - 1].map(|at| {
            let mut label = vec![b'x'; length];
            label[at] = b'y';
            label
        }));
    }
    labels
}

pub(super) async fn no_shared_units(run: &mut Run<'_>, limit: Limit) -> Checked {
    run.needs(&limit)?;
    let labels = labels();
    for (number, label) in labels.iter().enumerate() {
        if !use_up(run, limit, label).await? {
            return Err(shares_units(run, limit, label, &labels[..number]).await?);
        }
    }
    Ok(())
}

/// Takes all units under the key with this label. Returns whether the store admitted the call.
async fn use_up(run: &mut Run<'_>, limit: Limit, label: &[u8]) -> Checked<bool> {
    let permit = run.fresh_permit();
    let request = Request::new(run.key(label, &limit), limit, limit.capacity()).with_permit(permit);
    let reply = run.store().decide(Mode::Check, &[&request]);
    let decisions = run.reply("decide", reply).await?;
    let admitted = decisions.first().is_some_and(Decision::is_allowed);
    let (units, shown, outcome) =
        (limit.capacity(), shown(label), if admitted { "admitted" } else { "refused" });
    run.note(format_args!("check {units} of `{limit}` under a key with {shown}: {outcome}"));
    Ok(admitted)
}

/// The key with this label shares its units with an earlier key. Finds that key, and returns the failure that names it.
async fn shares_units(run: &mut Run<'_>, limit: Limit, label: &[u8], earlier: &[Vec<u8>]) -> Checked<Stop> {
    for other in earlier {
        let mut both = run.anew();
        use_up(&mut both, limit, other).await?;
        if !use_up(&mut both, limit, label).await? {
            let [label, other] = [label, other].map(shown);
            return Ok(
                both.fail(format!("the store does not distinguish a key with {other} from one with {label}"))
            );
        }
    }
    Ok(run.fail("the store refused a call, although the limit had units left"))
}

fn shown(label: &[u8]) -> String {
    let y = label.iter().position(|byte| *byte == b'y');
    match (label.len(), y) {
        (0..20, _) => format!("\"{}\"", label.escape_ascii()),
        (bytes, None) => format!("{bytes} times \"x\""),
        (bytes, Some(at)) => format!("{bytes} times \"x\", of which number {} is \"y\"", at + 1),
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
