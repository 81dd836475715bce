//! Rules for published limits. A store need not support them.

use super::overrides::{changes, entries};
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::testing::conformance::run::{Checked, MS, Run, Stop};
use std::collections::BTreeMap;
use std::time::Duration;

/// Saves published limits, and returns the limits that the store then has, in order.
async fn publish(
    run: &mut Run<'_>,
    key: &StoreKey,
    changed: &[(Vec<u8>, Option<String>)],
    kept: Duration,
) -> Checked<Vec<(Vec<u8>, String)>> {
    let saved = run.store().save_limits(key, changed, kept).await;
    run.note(format_args!("save {} published limits for {kept:?}: {saved:?}", changed.len()));
    saved.map_err(|error| run.fail(format!("the store failed: {error}")))?;
    load(run, key).await
}

async fn load(run: &mut Run<'_>, key: &StoreKey) -> Checked<Vec<(Vec<u8>, String)>> {
    let found = run.store().load_limits(key).await;
    let mut found = found.map_err(|error| run.fail(format!("the store failed: {error}")))?;
    found.sort();
    Ok(found)
}

pub(super) async fn saved(run: &mut Run<'_>, limit: Limit) -> Checked {
    const KEPT: Duration = Duration::from_secs(3600);
    const ASKS: u32 = 2000;
    let [key, other] = ["limits", "other limits"].map(|label| run.key(label, &limit));
    let mut random = run.random();
    let (names, texts) = (entries(), changes());
    let mut expected = BTreeMap::new();
    for round in 0..30 {
        let mut changed = BTreeMap::new();
        for _ in 0..random.usize(1..5) {
            let text =
                (round == 0 || random.u32(0..3) > 0).then(|| texts[random.usize(0..texts.len())].clone());
            changed.insert(names[random.usize(0..names.len())].clone(), text);
        }
        for (name, text) in &changed {
            match text {
                Some(text) => drop(expected.insert(name.clone(), text.clone())),
                None => drop(expected.remove(name)),
            }
        }
        let changed: Vec<(Vec<u8>, Option<String>)> = changed.into_iter().collect();
        let found = publish(run, &key, &changed, KEPT).await?;
        if round == 0 && found.is_empty() {
            return Err(Stop::Skipped("the store does not store published limits".to_owned()));
        }
        let same = found.iter().map(|(name, text)| (name, text)).eq(&expected);
        run.expect(same, "the store did not return the published limits that were saved")?;
    }
    let separate = load(run, &other).await?.is_empty();
    run.expect(separate, "the store saved published limits under another key")?;
    publish(run, &other, &[(b"name".to_vec(), Some("count=2".to_owned()))], MS).await?;
    for _ in 0..ASKS {
        run.pass(MS).await;
        if load(run, &other).await?.is_empty() {
            let kept = load(run, &key).await?.len();
            return run.expect(kept == expected.len(), "published limits were gone before their time");
        }
    }
    Err(run.fail("published limits were still there after their time"))
}
