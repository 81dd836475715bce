//! Mistakes in adjustments, resets and overrides.

use super::mistakes;
use super::wrong::Wrong;
use ratelimit::Algorithm;
use ratelimit::store::{Adjusted, Adjustment, Change, Reply, Store, StoreKey};
use std::time::Duration;

fn with_units(it: &Adjustment, units: u32) -> Adjustment {
    Adjustment::new(it.key().clone(), *it.limit(), units, it.change())
}

fn reset(wrong: &Wrong, keys: &[StoreKey]) -> u64 {
    *wrong.correct.reset(keys).ready_value().unwrap()
}

/// Saves the other overrides of the key once more, with other ends.
fn save_others(
    wrong: &Wrong,
    key: &StoreKey,
    entry: &[u8],
    end: impl Fn(Option<Duration>) -> Option<Duration>,
) {
    for (other, change, left) in wrong.overrides(key).entries {
        if other != entry {
            wrong.save(key, &other, Some(&change), end(left));
        }
    }
}

mistakes! {
    // Adjustments
    returns_go_to_the_last_charge: Adjust(|wrong, it| match it.change() {
        Change::Give(stamp) if it.limit().algorithm() == Algorithm::Counter => {
            // The stamp of a counter is the end of its window.
            let end = stamp + super::wrong::ms(it.limit().time());
            let last = (stamp..=end).map(|stamp| Adjustment::new(it.key().clone(), *it.limit(), it.units(), Change::Give(stamp)));
            last.take(100_000).map(|it| wrong.adjust_one(&it)).find(|units| *units > 0).unwrap_or(0)
        }
        _ => wrong.adjust_one(it),
    }) => "the store returned units of a charge whose time was over";
    a_return_is_always_whole: Adjust(|wrong, it| match it.change() {
        Change::Give(_) if it.limit().algorithm() != Algorithm::SlidingLog => wrong.adjust_one(&with_units(it, u32::MAX)),
        _ => wrong.adjust_one(it),
    }) => "units of a charge";
    renewals_are_ignored: Adjust(|wrong, it| match it.change() {
        Change::Renew(_) => it.units(),
        _ => wrong.adjust_one(it),
    }) => "the store ended a lease that was renewed";
    penalties_make_no_debt: Adjust(|wrong, it| match it.change() {
        Change::Take => wrong.adjust_one(&with_units(it, it.units().min(it.limit().capacity()))),
        _ => wrong.adjust_one(it),
    }) => "a penalty did not take the units down to one capacity of debt";
    a_return_ignores_resets: Adjust(|wrong, it| match it.change() {
        Change::Give(stamp) if !it.limit().is_list() => {
            // The memory store adds the generation of the state to the stamp.
            let stamps = (0..63).map(|generation| generation * (1 << 47) + stamp % (1 << 47));
            let give = |stamp| Adjustment::new(it.key().clone(), *it.limit(), it.units(), Change::Give(stamp));
            stamps.map(|stamp| wrong.adjust_one(&give(stamp))).find(|units| *units > 0).unwrap_or(0)
        }
        _ => wrong.adjust_one(it),
    }) => "the store returned the units of a charge from before a reset to a call from after it";
    a_return_ignores_its_units: Adjust(|wrong, it| match it.change() {
        Change::Give(_) if it.limit().algorithm() == Algorithm::Counter => wrong.adjust_one(&with_units(it, it.units().min(1))),
        _ => wrong.adjust_one(it),
    }) => "the store did not return the units of a charge";
    a_permit_is_found_by_its_id_alone: Adjust(|wrong, it| {
        let adjusted = wrong.adjust_one(it);
        // The other key of the rule ends with another label.
        let other = String::from_utf8_lossy(it.key().as_bytes()).replace(":a:", ":b:");
        if it.limit().is_concurrency() && matches!(it.change(), Change::Give(_)) {
            wrong.adjust_one(&Adjustment::new(StoreKey::new(other.as_bytes()), *it.limit(), it.units(), it.change()));
        }
        adjusted
    }) => "the store returned a permit with the same id under another key";
    only_one_unit_of_a_permit_is_reported: Adjust(|wrong, it| match it.change() {
        Change::Renew(_) => wrong.adjust_one(it).min(1),
        _ => wrong.adjust_one(it),
    }) => "the store did not renew each unit of a permit";
    only_the_first_adjustment_is_made: Adjustments(|wrong, all| {
        let made = |(number, it): (usize, &Adjustment)| if number == 0 { wrong.adjust_one(it) } else { 0 };
        Reply::ready(Ok(all.iter().enumerate().map(made).collect::<Adjusted>()))
    }) => "random operations";

    // Resets
    a_reset_counts_all_keys: Reset(|wrong, keys| {
        reset(wrong, keys);
        keys.len().try_into().unwrap()
    }) => "a reset did not report how many keys had a state";
    a_reset_deletes_one_key: Reset(|wrong, keys| reset(wrong, &keys[..keys.len().min(1)]))
        => "a reset of 1500 keys did not delete their states";

    // Overrides
    an_override_keeps_its_old_end: Save(|wrong, key, entry, change, expires| {
        let entries = wrong.overrides(key).entries;
        let old = entries.iter().find(|(name, ..)| name == entry).and_then(|(.., left)| *left);
        wrong.save(key, entry, change, expires.or(old));
    }) => "the store returned an override that does not expire as one that expires";
    the_end_of_an_override_is_never_shortened: Save(|wrong, key, entry, change, expires| {
        let entries = wrong.overrides(key).entries;
        let old = entries.iter().find(|(name, ..)| name == entry).and_then(|(.., left)| *left);
        wrong.save(key, entry, change, expires.map(|new| old.map_or(new, |old| old.max(new))));
    }) => "the store returned that an override expires after";
    other_overrides_become_permanent: Save(|wrong, key, entry, change, expires| {
        save_others(wrong, key, entry, |_| None);
        wrong.save(key, entry, change, expires);
    }) => "the store returned an override that expires as one that does not expire";
    all_overrides_have_the_last_end: Save(|wrong, key, entry, change, expires| {
        save_others(wrong, key, entry, |_| expires);
        wrong.save(key, entry, change, expires);
    }) => "the store returned";
    no_override_expires: Save(|wrong, key, entry, change, _| wrong.save(key, entry, change, None))
        => "the store returned an override that expires as one that does not expire";
    overrides_end_at_whole_seconds: Save(|wrong, key, entry, change, expires| {
        wrong.save(key, entry, change, expires.map(|time| Duration::from_secs(time.as_secs())));
    }) => "an override";
    texts_have_64_bytes: Save(|wrong, key, entry, change, expires| {
        wrong.save(key, entry, change.map(|text| &text[..text.len().min(64)]), expires);
    }) => "the store returned another text than the one that was saved";
    texts_have_255_bytes: Save(|wrong, key, entry, change, expires| {
        wrong.save(key, entry, change.map(|text| &text[..text.len().min(255)]), expires);
    }) => "the store returned another text than the one that was saved";
    entries_have_255_bytes: Save(|wrong, key, entry, change, expires| {
        wrong.save(key, &entry[..entry.len().min(255)], change, expires);
    }) => "the store returned an override that was removed or never saved";
    entries_are_text: Save(|wrong, key, entry, change, expires| {
        wrong.save(key, String::from_utf8_lossy(entry).as_bytes(), change, expires);
    }) => "the store returned an override that was removed or never saved";
}
