//! The slots of a cluster and their moves.

use super::Cluster;
use redis::Connection;
use std::collections::BTreeMap;

impl Cluster {
    /// The slot of a key.
    #[must_use]
    pub fn slot_of(&self, key: &str) -> u16 {
        let mut raw = self.nodes().next().expect("a node runs").server.raw();
        redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query(&mut raw).expect("every key has a slot")
    }

    /// The port of the primary that serves a slot. `None` if no running node serves it.
    #[must_use]
    pub fn find_primary(&self, slot: u16) -> Option<u16> {
        let members = self.members().into_iter().filter(|member| member.serves(slot));
        members.max_by_key(|member| member.epoch).map(|member| member.port)
    }

    /// The port of the primary that serves a slot.
    #[must_use]
    pub fn primary_of(&self, slot: u16) -> u16 {
        self.find_primary(slot).expect("a node that runs serves the slot")
    }

    /// The ports of all running primaries with slots.
    #[must_use]
    pub fn primaries(&self) -> Vec<u16> {
        let members = self.members().into_iter().filter(super::members::Member::has_slots);
        members.map(|member| member.port).collect()
    }

    /// Moves slots with their keys to the primary at `to`, one after another, while clients use them. Skips slots that this
    /// primary already owns.
    pub fn move_slots(&self, slots: impl IntoIterator<Item = u16>, to: u16) {
        // Connections and ids are looked up once, because there may be thousands of slots.
        let (members, mut moves) = (self.members(), BTreeMap::new());
        for slot in slots {
            let from =
                members.iter().find(|member| member.serves(slot)).expect("a node serves the slot").port;
            if from == to {
                continue;
            }
            let between = moves.entry(from).or_insert_with(|| Move::between(self, from, to));
            between.begin(slot);
            between.carry(slot);
            between.end(slot);
        }
    }

    /// Begins to move a slot. From now on, the slot's primary redirects (`ASK`) commands for keys that it does not have.
    pub fn begin_move(&self, slot: u16, to: u16) {
        Move::between(self, self.primary_of(slot), to).begin(slot);
    }

    /// Moves the keys of a slot whose move has begun.
    pub fn carry_keys(&self, slot: u16, to: u16) {
        Move::between(self, self.primary_of(slot), to).carry(slot);
    }

    /// Ends the move of a slot. From now on, the slot belongs to the primary at `to`, and the old one replies `MOVED`. Both
    /// nodes inform the others.
    pub fn end_move(&self, slot: u16, to: u16) {
        Move::between(self, self.primary_of(slot), to).end(slot);
    }
}

/// The nodes between which a slot is moved.
struct Move {
    from: Connection,
    from_id: String,
    to: Connection,
    to_id: String,
    to_port: u16,
}

impl Move {
    fn between(cluster: &Cluster, from: u16, to: u16) -> Self {
        let server = cluster.server(to);
        Self {
            from: cluster.server(from).raw(),
            from_id: cluster.member(from).id,
            to: server.raw(),
            to_id: cluster.member(to).id,
            to_port: server.port(),
        }
    }

    fn begin(&mut self, slot: u16) {
        set_slot(&mut self.to, slot, "IMPORTING", &self.from_id);
        set_slot(&mut self.from, slot, "MIGRATING", &self.to_id);
    }

    fn carry(&mut self, slot: u16) {
        loop {
            let mut ask = redis::cmd("CLUSTER");
            ask.arg("GETKEYSINSLOT").arg(slot).arg(1000);
            let keys: Vec<Vec<u8>> = ask.query(&mut self.from).expect("a slot has keys or none");
            if keys.is_empty() {
                return;
            }
            let mut carry = redis::cmd("MIGRATE");
            carry.arg("127.0.0.1").arg(self.to_port).arg("").arg(0).arg(5000).arg("KEYS").arg(keys);
            carry.exec(&mut self.from).expect("keys can be moved");
        }
    }

    fn end(&mut self, slot: u16) {
        set_slot(&mut self.to, slot, "NODE", &self.to_id);
        set_slot(&mut self.from, slot, "NODE", &self.to_id);
    }
}

fn set_slot(raw: &mut Connection, slot: u16, what: &str, id: &str) {
    let mut set = redis::cmd("CLUSTER");
    set.arg("SETSLOT").arg(slot).arg(what).arg(id).exec(raw).expect("a slot can be moved");
}
