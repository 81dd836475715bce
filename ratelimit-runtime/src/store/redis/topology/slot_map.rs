//! Who has which slots, as `CLUSTER SLOTS` says.

use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::{Address, Place, is_host};
use crate::store::redis::server::node::Node;
use redis::Value;
use std::sync::Arc;

const SLOTS: usize = 16_384;
const NOBODY: u16 = u16::MAX;

/// The primaries, and which of them has each slot.
pub(crate) struct SlotMap {
    nodes: Vec<Arc<Node>>,
    owner: Box<[u16]>,
}

impl Default for SlotMap {
    fn default() -> Self {
        Self { nodes: Vec::new(), owner: vec![NOBODY; SLOTS].into() }
    }
}

impl SlotMap {
    pub(crate) fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    pub(crate) fn node(&self, slot: u16) -> Option<Arc<Node>> {
        self.nodes.get(usize::from(self.owner[usize::from(slot)])).cloned()
    }

    /// A slot has a new owner, which may be one that is known.
    pub(crate) fn moved(&mut self, slot: u16, to: &Address, seeds: &[Arc<Node>]) -> Arc<Node> {
        let node = self.node_at(to, seeds);
        self.owner[usize::from(slot)] = self.index(&node);
        node
    }

    /// All of it anew. Nodes that are known keep their connections, and so do those without slots while theirs last.
    pub(crate) fn take(&mut self, ranges: &Ranges, seeds: &[Arc<Node>]) {
        let mut known = std::mem::take(self).nodes;
        known.extend_from_slice(seeds);
        for (first, last, address) in &ranges.0 {
            let node = self.node_at(address, &known);
            let at = self.index(&node);
            self.owner[usize::from(*first)..=usize::from(*last)].fill(at);
        }
        for node in known.iter().filter(|node| node.is_open_anywhere()) {
            self.node_at(node.address(), &known);
        }
    }

    /// The node at an address, a new one if it is not known.
    pub(crate) fn node_at(&mut self, address: &Address, seeds: &[Arc<Node>]) -> Arc<Node> {
        let is_there = |node: &&Arc<Node>| node.address().place == address.place;
        if let Some(known) = self.nodes.iter().find(is_there) {
            return Arc::clone(known);
        }
        let seed = seeds.iter().find(is_there);
        let node = seed.map_or_else(|| Node::new(Way::Node(address.clone())), Arc::clone);
        self.nodes.push(Arc::clone(&node));
        node
    }

    fn index(&self, node: &Arc<Node>) -> u16 {
        let at = self.nodes.iter().position(|known| Arc::ptr_eq(known, node));
        at.and_then(|at| u16::try_from(at).ok()).unwrap_or(NOBODY)
    }
}

/// First slot, last slot, and who has them.
pub(crate) struct Ranges(Vec<(u16, u16, Address)>);

impl Ranges {
    /// What a node has answered to `CLUSTER SLOTS`. `None` if that is something else.
    pub(crate) fn read(said: &Value, by: &Address) -> Option<Self> {
        let Value::Array(ranges) = said else { return None };
        ranges.iter().map(|range| read_range(range, by)).collect::<Option<_>>().map(Self)
    }
}

fn read_range(range: &Value, by: &Address) -> Option<(u16, u16, Address)> {
    let Value::Array(range) = range else { return None };
    let [Value::Int(first), Value::Int(last), Value::Array(primary), ..] = range.as_slice() else {
        return None;
    };
    let (first, last) = (u16::try_from(*first).ok()?, u16::try_from(*last).ok()?);
    let [host, Value::Int(port), ..] = primary.as_slice() else { return None };
    let host = match host {
        Value::BulkString(host) => std::str::from_utf8(host).ok()?,
        Value::SimpleString(host) => host,
        _ => "",
    };
    (first <= last && usize::from(last) < SLOTS)
        .then(|| Some((first, last, named(host, u16::try_from(*port).ok()?, by))))
        .flatten()
}

/// The node at `host:port`, as a redirection by another one names it.
pub(crate) fn place(named_as: &str, by: &Address) -> Address {
    let (host, port) = named_as.rsplit_once(':').unwrap_or(("", named_as));
    named(host.trim_start_matches('[').trim_end_matches(']'), port.parse().unwrap_or_default(), by)
}

/// A node that does not know the name of a host means its own. So does one that gives a name which is not a host.
fn named(host: &str, port: u16, by: &Address) -> Address {
    match &by.place {
        Place::Tcp(own, _) if !is_host(host) => by.at(own, port),
        _ => by.at(host, port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Address {
        Address::handed().at("own", 7000)
    }

    fn range(first: i64, last: i64, host: &str, port: i64) -> Value {
        let node = Value::Array(vec![
            Value::BulkString(host.into()),
            Value::Int(port),
            Value::SimpleString("id".into()),
        ]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node])
    }

    fn taken(ranges: Vec<Value>) -> SlotMap {
        let mut map = SlotMap::default();
        map.take(&Ranges::read(&Value::Array(ranges), &own()).unwrap(), &[]);
        map
    }

    fn shown(map: &SlotMap, slot: u16) -> String {
        map.node(slot).map_or_else(String::new, |node| node.address().to_string())
    }

    #[test]
    fn each_slot_has_its_node() {
        let map = taken(vec![range(0, 99, "a", 1), range(100, 16_383, "", 2), range(50, 50, "::1", 3)]);
        assert_eq!(
            [0, 49, 50, 51, 100, 16_383].map(|slot| shown(&map, slot)),
            ["a:1", "a:1", "[::1]:3", "a:1", "own:2", "own:2"]
        );
        assert_eq!(shown(&taken(vec![range(0, 1, "a", 1)]), 2), "");
    }

    #[test]
    fn a_slot_moves_and_nodes_stay() {
        let mut map = taken(vec![range(0, 16_383, "a", 1)]);
        let first = map.node(0).unwrap();
        let to = map.moved(5, &own().at("b", 2), &[]);
        assert!(Arc::ptr_eq(&map.moved(6, &own().at("b", 2), &[]), &to), "known by then");
        assert!(Arc::ptr_eq(&map.node_at(&own().at("b", 2), &[]), &to));
        assert_eq!([4, 5, 6].map(|slot| shown(&map, slot)), ["a:1", "b:2", "b:2"]);
        map.take(
            &Ranges::read(&Value::Array(vec![range(0, 9, "b", 2), range(10, 20, "a", 1)]), &own()).unwrap(),
            &[],
        );
        assert!(Arc::ptr_eq(&map.node(0).unwrap(), &to) && Arc::ptr_eq(&map.node(10).unwrap(), &first));
        assert_eq!(shown(&map, 21), "");
    }

    #[test]
    fn a_redirection_names_a_place() {
        for (said, shown) in [
            ("a:1", "a:1"),
            (":2", "own:2"),
            ("?:2", "own:2"),
            ("::1:3", "[::1]:3"),
            ("[::1]:3", "[::1]:3"),
            ("ratelimit:{walrus}:login:c1:2", "own:2"),
            ("'walrus':2", "own:2"),
        ] {
            assert_eq!(place(said, &own()).to_string(), shown);
        }
    }

    #[test]
    fn something_else_is_no_map() {
        for said in [
            Value::Nil,
            Value::Array(vec![Value::Int(1)]),
            Value::Array(vec![range(5, 4, "a", 1)]),
            Value::Array(vec![range(0, 16_384, "a", 1)]),
            Value::Array(vec![range(-1, 4, "a", 1)]),
            Value::Array(vec![range(0, 4, "a", 70_000)]),
        ] {
            assert!(Ranges::read(&said, &own()).is_none(), "{said:?}");
        }
    }
}
