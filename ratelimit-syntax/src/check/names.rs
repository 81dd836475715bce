//! Gives each limit of a function a different name. Limits with the same `key` are told apart by their `time`.

use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::{Identity, Limit, Member, Number, RequestPart, Shadow};

/// Puts the time into the names of limits that have the same `key`: `search/1s` and `search/1d`. Reports limits
/// whose names are still equal.
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
    let before = errors.count();
    for (at, arguments) in all.iter().enumerate() {
        let this = &members[at];
        let mut earlier = members[..at].iter().filter(|earlier| share_a_key_and_a_name(earlier, this));
        if let Some(wrong) = earlier.find_map(|earlier| why_equal(earlier, this, item)) {
            arguments.error(errors, wrong);
        }
    }
    let times: Vec<_> = members.iter().map(|this| time_of(this, members)).collect();
    for (member, time) in members.iter_mut().zip(times) {
        member.time_in_name = time;
    }
    for (at, arguments) in all.iter().enumerate() {
        let shares = members[..at].iter().any(|earlier| share_a_name(earlier, &members[at]));
        if shares && errors.count() == before {
            arguments.error(errors, "another attribute of this function has the same name with its `time` or `shadow`: write another `key` for this one");
        }
    }
}

/// The time that the name of a limit needs, because another limit with the same `key` would have the same name. `None` if the
/// name needs no time.
fn time_of(this: &Member, members: &[Member]) -> Option<String> {
    let shares =
        members.iter().any(|other| !std::ptr::eq(other, this) && share_a_key_and_a_name(other, this));
    time(this).filter(|_| shares)
}

/// Whether two limits have the same `key`, and the same name in some call. A shadow limit and a limit that refuses never share a
/// name.
fn share_a_key_and_a_name(a: &Member, b: &Member) -> bool {
    a.key_text() == b.key_text() && share_a_name(a, b)
}

/// Whether two limits have the same name in some call.
fn share_a_name(a: &Member, b: &Member) -> bool {
    let names = names(b);
    self::names(a).iter().any(|name| names.contains(name))
}

/// The names of a limit. Each name comes with `true` if it begins with a `key`, and with `false` if it begins with the path of
/// the function. A limit whose `shadow` is an expression has two names.
fn names(member: &Member) -> Vec<(bool, String)> {
    let base = member.key_text();
    let (has_key, base) = (base.is_some(), base.unwrap_or_default());
    let refusing = !matches!(member.shadow, Shadow::Always);
    let shadow = !matches!(member.shadow, Shadow::Never);
    let refusing = refusing.then(|| member.refusing_name(&base));
    let shadow = shadow.then(|| member.shadow_name(&base));
    refusing.into_iter().chain(shadow).map(|name| (has_key, name)).collect()
}

/// Explains why the time does not tell two limits apart. `None` if it does.
fn why_equal(earlier: &Member, this: &Member, item: &Item) -> Option<String> {
    let (why, default) = match (time(earlier), time(this)) {
        (Some(a), Some(b)) if a != b => return None,
        (Some(_), Some(_)) => {
            ("has the same `key` and `time`, so the two limits would have one name", "other")
        }
        _ => ("has the same `key`, and only a literal `time` tells the names of two limits apart", "day"),
    };
    let base = match this.key_text() {
        Some(key) => key,
        // An attribute of a block limits many methods, so no method's name fits.
        None if item.block.is_some() => "api".to_owned(),
        None => item.signature.ident.to_string(),
    };
    let name = format!("{base}/{}", difference(earlier, this).unwrap_or(default));
    Some(format!("an attribute above {why}: write a `key` of its own for this one, as in `key = {name:?}`"))
}

/// A word that says how this limit differs from an earlier limit, for a new `key`. `None` if no such word is known.
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

/// The time of a limit as text, if it is a literal.
fn time(member: &Member) -> Option<String> {
    match &member.limit {
        Limit::Numbers(numbers) => numbers.get(Number::Time)?.text(),
        Limit::Value(_) => None,
    }
}
