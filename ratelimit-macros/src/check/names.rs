//! Gives each limit of a function a name of its own. Limits with the same `key` are told apart by their `time`.

use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Identity, Limit, Member, RequestPart, Shadow};
use crate::rules::duration;

/// Puts the time into the names of limits that have the same `key`: `search/1s` and `search/1d`. Reports limits that
/// have the same name all the same.
pub(super) fn tell_apart(
    first: &Arguments,
    others: &[Arguments],
    members: &mut [Member],
    item: &Item,
    errors: &mut Errors,
) {
    let all: Vec<&Arguments> = std::iter::once(first).chain(others).collect();
    if all.iter().any(|arguments| !arguments.complete) {
        return;
    }
    for (at, arguments) in all.iter().enumerate() {
        let this = &members[at];
        let mut earlier = members[..at].iter().filter(|earlier| share_a_name(earlier, this));
        if let Some(wrong) = earlier.find_map(|earlier| why_equal(earlier, this, item)) {
            arguments.error(errors, wrong);
        }
    }
    for at in 0..members.len() {
        let this = &members[at];
        let is_other = |other: &&Member| !std::ptr::eq(*other, this) && share_a_name(other, this);
        let time = members.iter().find(is_other).and_then(|_| time_ms(this));
        members[at].time_in_name = time.map(duration::show);
    }
}

/// Whether two limits have the same name in some call, if their names have no time. The name of a shadow limit ends with
/// `/shadow`, so only limits that both refuse, or both are shadow limits, can have the same name.
fn share_a_name(a: &Member, b: &Member) -> bool {
    let key = |member: &Member| member.key.as_ref().map(|key| key.text.value());
    let differ =
        matches!((&a.shadow, &b.shadow), (Shadow::Never, Shadow::Always) | (Shadow::Always, Shadow::Never));
    key(a) == key(b) && !differ
}

/// Explains why the time does not tell two limits apart.
fn why_equal(earlier: &Member, this: &Member, item: &Item) -> Option<String> {
    let (why, default) = match (time_ms(earlier), time_ms(this)) {
        (Some(a), Some(b)) if a != b => return None,
        (Some(_), Some(_)) => {
            ("has the same `key` and `time`, so the two limits would have one name", "other")
        }
        _ => ("has the same `key`, and only a literal `time` tells the names of two limits apart", "day"),
    };
    let base = match &this.key {
        Some(key) => key.text.value(),
        // One attribute of a block is for many methods.
        None if item.block.is_some() => "api".to_owned(),
        None => item.signature.ident.to_string(),
    };
    let name = format!("{base}/{}", difference(earlier, this).unwrap_or(default));
    Some(format!("an attribute above {why}: write a `key` of its own for this one, as in `key = {name:?}`"))
}

/// A word that says how two limits differ.
fn difference<'m>(earlier: &Member, this: &'m Member) -> Option<&'m str> {
    match (first_part(earlier), first_part(this)) {
        (earlier, Some(part)) if earlier != Some(part) => {
            return Some(match part {
                RequestPart::Ip => "ip",
                RequestPart::User => "user",
                RequestPart::Header(name) => name,
            });
        }
        _ => {}
    }
    match (&earlier.limit, &this.limit) {
        (Limit::Numbers(earlier), Limit::Numbers(this)) if earlier.algorithm != this.algorithm => {
            Some(this.algorithm.as_str())
        }
        (_, Limit::Value(_)) => Some("plan"),
        _ => None,
    }
}

fn first_part(member: &Member) -> Option<&RequestPart> {
    member.identities().iter().find_map(|identity| match identity {
        Identity::Part(part, _) => Some(part),
        Identity::Value(_) => None,
    })
}

/// The time of a limit, if it is a literal.
fn time_ms(member: &Member) -> Option<u64> {
    match &member.limit {
        Limit::Numbers(numbers) => numbers.time.literal(),
        Limit::Value(_) => None,
    }
}
