//! `Groups`: which groups of names may have an override, so that the calls of all other limits need not look for one.

use super::entry::{KEY, NAME};
use crate::key::{Name, NameGroup, name_in};
use std::sync::atomic::{AtomicU64, Ordering};

/// A bit for each group of names.
pub(super) struct Groups([AtomicU64; NameGroup::NUMBER / 64]);

type Bits = [u64; NameGroup::NUMBER / 64];

impl Groups {
    pub(super) const NONE: Bits = [0; NameGroup::NUMBER / 64];

    /// Returns the bits of these groups. `None` stands for all groups.
    pub(super) fn bits(groups: impl Iterator<Item = Option<NameGroup>>) -> Bits {
        let mut bits = Self::NONE;
        for group in groups {
            match group {
                Some(group) => bits[group.number() / 64] |= 1 << (group.number() % 64),
                None => bits = [u64::MAX; NameGroup::NUMBER / 64],
            }
        }
        bits
    }

    pub(super) fn set(&self, bits: Bits) {
        for (word, bits) in self.0.iter().zip(bits) {
            word.store(bits, Ordering::Release);
        }
    }

    #[inline]
    pub(super) fn contains(&self, group: NameGroup) -> bool {
        self.0[group.number() / 64].load(Ordering::Acquire) >> (group.number() % 64) & 1 == 1
    }
}

/// All groups, until the overrides are known.
impl Default for Groups {
    fn default() -> Self {
        Self([const { AtomicU64::new(u64::MAX) }; NameGroup::NUMBER / 64])
    }
}

/// Returns the group of the name in a field of the store. `None` if the field names no limit.
pub(super) fn group_of(field: &[u8]) -> Option<NameGroup> {
    let name = match field.strip_prefix(NAME) {
        Some(name) => std::str::from_utf8(name).ok()?.to_owned(),
        None => name_in(field.strip_prefix(KEY)?)?,
    };
    Some(NameGroup::of(Name::new(&name).summand(crate::writer::secrets())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{Key, KeySettings, render};
    use crate::limiter::overrides::entry::{field_of_key, field_of_name};

    #[test]
    fn a_field_is_in_the_group_of_its_name() {
        let settings = KeySettings::new("shop:eu", None, 64);
        for name in ["login", "a:b", "report:{kind}", "", "a=b", "shop::api::search/1s"] {
            let group = Some(Name::new(name).group());
            assert_eq!(group_of(&field_of_name(name)), group, "{name}");
            for key in [Key::new(name).by("x").part("y"), Key::new(name).by("a:=}").part(name)] {
                assert_eq!(group_of(&field_of_key(&render(&key, &settings).unwrap())), group, "{name}");
            }
            let global = render(&Key::new(name).part("y"), &settings).unwrap();
            assert_eq!(group_of(&field_of_key(&global)), group, "{name}");
        }
        assert_eq!([group_of(b"x"), group_of(b"key:x"), group_of(b"name:\xff")], [None; 3]);
        let all = Groups::default();
        assert!(all.contains(Name::new("a").group()));
        all.set(Groups::bits([Some(Name::new("a").group())].into_iter()));
        let others = (0..100).filter(|at| all.contains(Name::new(&at.to_string()).group())).count();
        assert!(all.contains(Name::new("a").group()) && others < 20, "{others}");
    }
}
