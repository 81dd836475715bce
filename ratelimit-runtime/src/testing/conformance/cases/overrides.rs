//! Rules for overrides and published limits. A store need not support them.

use crate::error::ErrorKind;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::Overridden;
use crate::testing::conformance::run::{Checked, MS, Run, Stop};
use std::time::Duration;

/// Two entries, each with the text of a change.
const ENTRIES: [(&[u8], &str); 2] = [(b"name:login", "count=2"), (b"key:p:{a}:login", "count=3 time=1m")];

/// Loads the overrides. Returns `None` if their version is `seen`.
async fn load(run: &mut Run<'_>, key: &StoreKey, seen: u64) -> Checked<Option<Overridden>> {
    let loaded = run.store().load_overrides(key, seen).await;
    loaded.map_err(|error| run.fail(format!("the store failed: {error}")))
}

/// Saves a change, and returns the overrides after it. Fails if their version is still `seen`.
async fn save(
    run: &mut Run<'_>,
    key: &StoreKey,
    seen: u64,
    entry: &[u8],
    change: Option<&str>,
) -> Checked<Overridden> {
    save_for(run, key, seen, entry, change, None).await
}

/// Saves a change that may expire, like [`save`].
async fn save_for(
    run: &mut Run<'_>,
    key: &StoreKey,
    seen: u64,
    entry: &[u8],
    change: Option<&str>,
    expires: Option<Duration>,
) -> Checked<Overridden> {
    let saved = run.store().save_override(key, entry, change, expires).await;
    let shown = String::from_utf8_lossy(entry);
    run.note(format_args!("save the override `{shown}` as {change:?}: {saved:?}"));
    match saved {
        Ok(()) => {}
        Err(error) if seen == 0 && error.kind() == ErrorKind::Configuration => {
            return Err(Stop::Skipped("the store does not support overrides".to_owned()));
        }
        Err(error) => return Err(run.fail(format!("the store failed: {error}"))),
    }
    match load(run, key, seen).await? {
        Some(overridden) => Ok(overridden),
        None => Err(run.fail("the store did not give the overrides a new version after a change")),
    }
}

pub(super) async fn versions(run: &mut Run<'_>, limit: Limit) -> Checked {
    let (key, other) = (run.key("overrides", &limit), run.key("other overrides", &limit));
    let [(first, change), (second, other_change)] = ENTRIES;
    let none = load(run, &key, 0).await?.is_none();
    run.expect(none, "the store has overrides that nobody has saved")?;
    let one = save(run, &key, 0, first, Some(change)).await?;
    let is_so = one.entries == [(first.to_vec(), change.to_owned(), None)];
    run.expect(is_so, "the store did not return the override that was saved")?;
    let unchanged = load(run, &key, one.version).await?.is_none();
    run.expect(unchanged, "the store changed the version of overrides that nobody changed")?;
    let mut two = save(run, &key, one.version, second, Some(other_change)).await?;
    two.entries.sort();
    let both = [(second.to_vec(), other_change.to_owned(), None), (first.to_vec(), change.to_owned(), None)];
    run.expect(two.entries == both, "the store did not keep both of two overrides")?;
    let removed = save(run, &key, two.version, second, None).await?;
    run.expect(removed.entries == one.entries, "the store did not remove an override alone")?;
    run.expect(removed.version != one.version, "the store used a version again")?;
    let replaced = save(run, &key, removed.version, first, Some(other_change)).await?;
    let is_so = replaced.entries == [(first.to_vec(), other_change.to_owned(), None)];
    run.expect(is_so, "the store did not replace an override")?;
    let untouched = load(run, &other, 0).await?.is_none();
    run.expect(untouched, "the store saved an override under another key")
}

/// The store may use different clocks for overrides and for decisions, so the check loads the overrides again and again until
/// the override has expired.
pub(super) async fn expiry(run: &mut Run<'_>, limit: Limit) -> Checked {
    const HOUR: Duration = Duration::from_secs(3600);
    const ASKS: u32 = 2000;
    let (key, [(entry, change), _]) = (run.key("expiring", &limit), ENTRIES);
    let saved = save_for(run, &key, 0, entry, Some(change), Some(HOUR)).await?;
    let left = saved.entries.first().and_then(|(.., left)| *left);
    let is_known = saved.entries.len() == 1 && left.is_some_and(|left| !left.is_zero() && left <= HOUR);
    run.expect(is_known, "the store did not return when an override expires")?;
    let _ = save_for(run, &key, saved.version, entry, Some(change), Some(MS)).await?;
    for _ in 0..ASKS {
        run.pass(MS).await;
        let is_gone = load(run, &key, 0).await?.is_none_or(|overridden| overridden.entries.is_empty());
        if is_gone {
            return Ok(());
        }
    }
    Err(run.fail("an override was still there after its time"))
}

pub(super) async fn published(run: &mut Run<'_>, limit: Limit) -> Checked {
    const KEPT: Duration = Duration::from_secs(3600);
    let key = run.key("limits", &limit);
    let [one, two] = [b"one".to_vec(), b"two".to_vec()];
    let both = [(one.clone(), Some("1".to_owned())), (two.clone(), Some("2".to_owned()))];
    for (changed, expected) in [(&both[..], 2), (&[(one, None)][..], 1)] {
        let saved = run.store().save_limits(&key, changed, KEPT).await;
        run.note(format_args!("save {} published limits: {saved:?}", changed.len()));
        let found = run.store().load_limits(&key).await;
        let found = found.map_err(|error| run.fail(format!("the store failed: {error}")))?;
        if expected == 2 && found.is_empty() {
            return Err(Stop::Skipped("the store does not store published limits".to_owned()));
        }
        run.expect(found.len() == expected, "the store did not return the limits that were saved")?;
        let has_two = found.contains(&(two.clone(), "2".to_owned()));
        run.expect(has_two, "the store did not return a limit that was saved")?;
    }
    Ok(())
}
