//! Rules for overrides. A store need not support them.

use crate::error::ErrorKind;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::Overridden;
use crate::testing::conformance::run::{Checked, MS, Run, Stop};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Two entries, each with the text of a change.
const ENTRIES: [(&[u8], &str); 2] = [(b"name:login", "count=2"), (b"key:p:{a}:login", "count=3 time=1m")];

/// Loads the overrides. Returns `None` if their version is `seen`.
async fn load(run: &mut Run<'_>, key: &StoreKey, seen: u64) -> Checked<Option<Overridden>> {
    let loaded = run.store().load_overrides(key, seen).await;
    loaded.map_err(|error| run.fail(format!("the store failed: {error}")))
}

/// Shows a text, and only the begin of a long one.
fn shown(text: &[u8]) -> String {
    match text.split_at_checked(60) {
        Some((begin, _)) => format!("{}.. ({} bytes)", begin.escape_ascii(), text.len()),
        None => text.escape_ascii().to_string(),
    }
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
    let change = change.map(|text| shown(text.as_bytes()));
    run.note(format_args!("save the override `{}` as {change:?} for {expires:?}: {saved:?}", shown(entry)));
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

/// An override as it was saved.
struct Saved {
    change: String,
    /// The time in the run at which it was saved, the elapsed time at which it was saved, and the time after which it expires.
    expires: Option<(Duration, Duration, Duration)>,
}

/// Entries that a database may confuse, and a long one.
pub(super) fn entries() -> Vec<Vec<u8>> {
    let long = |end: u8| [&[b'x'; 1000][..], &[end]].concat();
    let short: [&[u8]; 6] = [
        b"name:login",
        b"name:Login",
        b"name:login ",
        b"key:p:{a}:login",
        b"key:p:{\xff}:login",
        b"key:p:{\xfe}:login",
    ];
    short.map(<[u8]>::to_vec).into_iter().chain([long(b'a'), long(b'b')]).collect()
}

/// Texts of changes, among them long ones.
pub(super) fn changes() -> [String; 4] {
    [
        "count=2".to_owned(),
        "count=3 time=1m".to_owned(),
        format!("count=1{:0>70}", ""),
        format!("count=1{:0>1000}", ""),
    ]
}

/// Compares loaded overrides with the overrides that were saved. The store may use different clocks for overrides and for
/// decisions, so the remaining time of an override lies between two bounds.
fn agrees(run: &mut Run<'_>, saved: &HashMap<Vec<u8>, Saved>, found: &Overridden) -> Checked {
    for (entry, change, left) in &found.entries {
        let Some(expected) = saved.get(entry) else {
            return Err(run.fail("the store returned an override that was removed or never saved"));
        };
        run.expect(
            *change == expected.change,
            "the store returned another text than the one that was saved",
        )?;
        let sentence = match (left, expected.expires) {
            (None, None) => continue,
            (None, Some(_)) => {
                "the store returned an override that expires as one that does not expire".to_owned()
            }
            (Some(_), None) => {
                "the store returned an override that does not expire as one that expires".to_owned()
            }
            (Some(left), Some((at, began, expires))) => {
                // A clock that moves by itself may be ahead of the check.
                let ahead = if run.is_exact() { MS } else { Duration::from_secs(10) };
                let passed = run.passed().saturating_sub(at) + run.elapsed().saturating_sub(began) + ahead;
                if *left <= expires && *left >= expires.saturating_sub(passed) {
                    continue;
                }
                format!(
                    "the store returned that an override expires after {left:?}, and it was saved for {expires:?}"
                )
            }
        };
        return Err(run.fail(sentence));
    }
    let is_there = |entry: &Vec<u8>| found.entries.iter().any(|(found, ..)| found == entry);
    let may_be_over = |saved: &Saved| {
        saved.expires.is_some_and(|(at, _, expires)| run.passed().saturating_sub(at) >= expires)
    };
    let all = saved.iter().all(|(entry, saved)| is_there(entry) || may_be_over(saved));
    run.expect(all, "the store lost an override when another one was saved")
}

pub(super) async fn random(run: &mut Run<'_>, limit: Limit) -> Checked {
    const HOUR: u64 = 3_600_000;
    let mut random = run.random();
    let (entries, changes) = (entries(), changes());
    let keys = ["random overrides", "other random overrides"].map(|label| run.key(label, &limit));
    let mut known = [(0, HashMap::new()), (0, HashMap::new())];
    for _ in 0..150 {
        if run.is_exact() && random.u32(0..4) == 0 {
            run.pass(Duration::from_secs(random.u64(0..600))).await;
        }
        let (at, entry) = (random.usize(0..2), entries[random.usize(0..entries.len())].clone());
        let (key, (version, saved)) = (&keys[at], &mut known[at]);
        let change = (random.u32(0..4) > 0).then(|| changes[random.usize(0..changes.len())].clone());
        let expires =
            (random.bool() && change.is_some()).then(|| Duration::from_millis(random.u64(HOUR..100 * HOUR)));
        let (passed, elapsed) = (run.passed(), run.elapsed());
        let found = save_for(run, key, *version, &entry, change.as_deref(), expires).await?;
        match change {
            Some(change) => {
                let expires = expires.map(|expires| (passed, elapsed, expires));
                saved.insert(entry, Saved { change, expires });
            }
            None => drop(saved.remove(&entry)),
        }
        agrees(run, saved, &found)?;
        *version = found.version;
        for (key, (version, _)) in keys.iter().zip(&known) {
            let unchanged = load(run, key, *version).await?.is_none();
            run.expect(
                *version == 0 || unchanged,
                "the store changed the version of overrides that nobody changed",
            )?;
        }
    }
    Ok(())
}

pub(super) async fn together(run: &mut Run<'_>, limit: Limit) -> Checked {
    let (key, (entry, change)) = (run.key("saved together", &limit), ENTRIES[0]);
    let first = save(run, &key, 0, entry, Some(change)).await?;
    let mut tasks = JoinSet::new();
    for number in 0..16 {
        let (store, key) = (Arc::clone(run.store()), key.clone());
        let entry = format!("name:{number}");
        tasks.spawn(async move { store.save_override(&key, entry.as_bytes(), Some("count=2"), None).await });
    }
    for saved in tasks.join_all().await {
        saved.map_err(|error| run.fail(format!("the store failed: {error}")))?;
    }
    let all = load(run, &key, first.version).await?.map_or(0, |found| found.entries.len());
    run.expect(all == 17, format!("the store kept {all} of 17 overrides that were saved together"))
}

/// The store may use different clocks for overrides and for decisions, so the check loads the overrides again and again until
/// the override has expired.
pub(super) async fn expiry(run: &mut Run<'_>, limit: Limit) -> Checked {
    const HOUR: Duration = Duration::from_secs(3600);
    const ASKS: u32 = 2000;
    let (key, [(entry, change), (other, _)]) = (run.key("expiring", &limit), ENTRIES);
    let saved = save_for(run, &key, 0, entry, Some(change), Some(HOUR)).await?;
    let left = saved.entries.first().and_then(|(.., left)| *left);
    let is_known = saved.entries.len() == 1 && left.is_some_and(|left| !left.is_zero() && left <= HOUR);
    run.expect(is_known, "the store did not return when an override expires")?;
    let saved = save_for(run, &key, saved.version, entry, Some(change), Some(MS)).await?;
    save(run, &key, saved.version, other, Some(change)).await?;
    for _ in 0..ASKS {
        run.pass(MS).await;
        let left = load(run, &key, 0).await?.map_or(Vec::new(), |overridden| overridden.entries);
        let is_there = |entry: &[u8]| left.iter().any(|(found, ..)| found == entry);
        run.expect(is_there(other), "an override without an end was gone after another one had expired")?;
        if !is_there(entry) {
            return Ok(());
        }
    }
    Err(run.fail("an override was still there after its time"))
}
