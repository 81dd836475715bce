//! The nodes of a cluster, as one node describes them in its reply to `CLUSTER NODES`.

use super::Node;
use redis::RedisResult;
use std::ops::RangeInclusive;

/// One node.
pub(super) struct Member {
    pub(super) id: String,
    /// The port for clients.
    pub(super) port: u16,
    /// The id of the primary that this node replicates. `None` for a primary.
    pub(super) replicates: Option<String>,
    /// The configuration epoch. If two primaries claim one slot, the one with the higher epoch wins.
    pub(super) epoch: u64,
    flags: String,
    slots: Vec<RangeInclusive<u16>>,
}

impl Member {
    /// Asks a node for its description of itself.
    pub(super) fn ask(node: &Node) -> RedisResult<Self> {
        let own = Table::ask(node)?.0.into_iter().find(|member| member.flags.contains("myself"));
        Ok(Self { port: node.port, ..own.expect("a node knows itself") })
    }

    /// Parses a line: `id address:port@bus flags primary ping pong epoch link slots..`
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [id, address, flags, primary, _, _, epoch, _, slots @ ..] = fields.as_slice() else {
            return None;
        };
        // Brackets mark slots that are being moved.
        let slots = slots.iter().filter(|slots| !slots.starts_with('['));
        Some(Self {
            id: (*id).to_owned(),
            port: address.split_once('@')?.0.rsplit_once(':')?.1.parse().ok()?,
            replicates: (*primary != "-").then(|| (*primary).to_owned()),
            epoch: epoch.parse().ok()?,
            flags: (*flags).to_owned(),
            slots: slots.filter_map(|slots| range(slots)).collect(),
        })
    }

    pub(super) fn is_primary(&self) -> bool {
        self.replicates.is_none()
    }

    pub(super) fn serves(&self, slot: u16) -> bool {
        self.is_primary() && self.slots.iter().any(|slots| slots.contains(&slot))
    }

    pub(super) fn has_slots(&self) -> bool {
        self.is_primary() && !self.slots.is_empty()
    }

    fn is_well(&self) -> bool {
        !["fail", "handshake", "noaddr"].iter().any(|flag| self.flags.contains(flag))
    }
}

/// All nodes that one node knows.
pub(super) struct Table(Vec<Member>);

impl Table {
    pub(super) fn ask(node: &Node) -> RedisResult<Self> {
        let nodes: String = redis::cmd("CLUSTER").arg("NODES").query(&mut node.server.try_raw()?)?;
        Ok(Self(nodes.lines().filter_map(Member::read).collect()))
    }

    /// Whether every primary is reachable and has a reachable replica.
    pub(super) fn is_whole(&self) -> bool {
        let is_replicated = |primary: &Member| {
            let mut well = self.0.iter().filter(|member| member.is_well());
            well.any(|member| member.replicates.as_ref() == Some(&primary.id))
        };
        let mut serving = self.0.iter().filter(|member| member.has_slots());
        serving.all(|primary| primary.is_well() && is_replicated(primary))
    }
}

/// Parses `5` or `5-7`.
fn range(slots: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = slots.split_once('-').unwrap_or((slots, slots));
    Some(first.parse().ok()?..=last.parse().ok()?)
}
