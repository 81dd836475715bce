//! The slots of a cluster, as one of its nodes knows them.

use super::keyspace::{Bytes, Keyspace};
use super::reply::Reply;
use std::collections::BTreeMap;
use std::sync::Arc;

const SLOTS: usize = 16_384;
/// The port of the first server. The other servers have the following ports.
pub(crate) const FIRST_PORT: u16 = 7000;

/// The node of each slot.
pub(crate) type Owners = Arc<[u8]>;

/// A node's knowledge of the slots.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    own: u8,
    owners: Owners,
    /// The slots that this node gives away (`leaving`) and takes over (`coming`), each with the other node.
    pub(crate) leaving: BTreeMap<u16, u8>,
    pub(crate) coming: BTreeMap<u16, u8>,
    /// Whether scripts may touch undeclared keys of several slots.
    any_slot: bool,
}

/// Splits the slots evenly.
pub(crate) fn split(nodes: u8) -> Owners {
    let share = SLOTS.div_ceil(usize::from(nodes));
    (0..SLOTS).map(|slot| u8::try_from(slot / share).unwrap_or(0)).collect()
}

/// The slot of a key: the CRC-16 (XMODEM) of its tag, bit by bit.
pub(crate) fn slot_of(key: &[u8]) -> u16 {
    let tag = key.splitn(2, |byte| *byte == b'{').nth(1);
    let tag =
        tag.and_then(|rest| rest.split(|byte| *byte == b'}').next().filter(|tag| tag.len() < rest.len()));
    let hashed = tag.filter(|tag| !tag.is_empty()).unwrap_or(key);
    let crc = hashed.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 }
        })
    });
    crc % 16_384
}

fn port(node: u8) -> u16 {
    FIRST_PORT + u16::from(node)
}

impl Slots {
    pub(crate) fn new(own: u8, owners: Owners, any_slot: bool) -> Self {
        Self { own, owners, leaving: BTreeMap::new(), coming: BTreeMap::new(), any_slot }
    }

    pub(crate) fn learn(&mut self, owners: Owners) {
        self.owners = owners;
    }

    /// Returns the error or redirection if this node cannot execute a command with these keys now. `asking` is set after
    /// `ASKING`.
    pub(crate) fn redirection(&self, keys: &mut Keyspace, names: &[Bytes], asking: bool) -> Option<Reply> {
        let slot = slot_of(names.first()?);
        if names.iter().any(|name| slot_of(name) != slot) {
            return Some(Reply::error("CROSSSLOT Keys in request don't hash to the same slot"));
        }
        let missing = names.iter().filter(|name| keys.get(name).is_none()).count();
        let try_again = || Some(Reply::error("TRYAGAIN Multiple keys request during rehashing of slot"));
        let owner = self.owners[usize::from(slot)];
        match (self.leaving.get(&slot), owner == self.own) {
            (Some(_), true) if missing == 0 => None,
            (Some(_), true) if missing < names.len() => try_again(),
            (Some(to), true) => Some(Reply::Error(format!("ASK {slot} :{}", port(*to)))),
            (None, true) => None,
            (_, false) if asking && self.coming.contains_key(&slot) => {
                if names.len() > 1 && missing > 0 {
                    try_again()
                } else {
                    None
                }
            }
            (_, false) => Some(Reply::Error(format!("MOVED {slot} :{}", port(owner)))),
        }
    }

    /// Returns the error if a script may not touch this key, which it has not declared.
    pub(super) fn refusal(&self, keys: &mut Keyspace, name: &[u8]) -> Option<Reply> {
        let slot = slot_of(name);
        let is_here = self.owners[usize::from(slot)] == self.own
            && (!self.leaving.contains_key(&slot) || keys.get(name).is_some());
        match (self.any_slot, is_here) {
            (false, _) => {
                Some(Reply::error("ERR Script attempted to access keys that do not hash to the same slot"))
            }
            (true, false) => {
                Some(Reply::error("ERR Script attempted to access a non local key in a cluster node"))
            }
            (true, true) => None,
        }
    }

    /// The reply to `CLUSTER SLOTS`. The empty host means: the host of the connection.
    pub(crate) fn ranges(&self) -> Reply {
        let number = |number: usize| Reply::Integer(i64::try_from(number).unwrap_or(0));
        let mut first = 0;
        let ranges = self.owners.chunk_by(|one, next| one == next).map(|range| {
            let port = usize::from(port(range[0]));
            let node =
                Reply::Array(vec![Reply::text(""), number(port), Reply::text(format!("node{}", range[0]))]);
            let shown = Reply::Array(vec![number(first), number(first + range.len() - 1), node]);
            first += range.len();
            shown
        });
        Reply::Array(ranges.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(slot_of(b"123456789"), 0x31C3);
        assert_eq!(slot_of(b"user1000"), slot_of(b"a{user1000}b"));
        assert_eq!(slot_of(b"foo{bar"), slot_of(b"{foo{bar}x}"));
        assert_eq!(split(3).chunk_by(|one, next| one == next).count(), 3);
    }
}
