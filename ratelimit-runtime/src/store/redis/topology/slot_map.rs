//! The slot map: which node serves which slots. It is read from the reply to `CLUSTER SLOTS`.

use super::key_slot::SLOTS;
use crate::store::redis::connect::{Connector, Endpoint, Location, Role, is_host};
use crate::store::redis::server::Node;
use redis::Value;
use std::sync::Arc;

/// Marks a slot that no node serves. It takes the place of the index of a node.
const UNSERVED: u16 = u16::MAX;

/// The known nodes, and the index of the node that serves each slot.
pub(super) struct SlotMap {
    pub(super) nodes: Vec<Arc<Node>>,
    node_of: Box<[u16]>,
}

impl Default for SlotMap {
    fn default() -> Self {
        Self { nodes: Vec::new(), node_of: vec![UNSERVED; usize::from(SLOTS)].into() }
    }
}

impl SlotMap {
    pub(super) fn node(&self, slot: u16) -> Option<Arc<Node>> {
        self.nodes.get(usize::from(self.node_of[usize::from(slot)])).cloned()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.node_of.iter().all(|index| *index == UNSERVED)
    }

    /// The nodes that serve slots, and whether each slot has a node.
    pub(super) fn serving(&self) -> (Vec<Arc<Node>>, bool) {
        let mut serves = vec![false; self.nodes.len()];
        let mut all_served = true;
        for index in &self.node_of {
            match serves.get_mut(usize::from(*index)) {
                Some(serves) => *serves = true,
                None => all_served = false,
            }
        }
        let nodes = self.nodes.iter().zip(serves).filter(|(_, serves)| *serves);
        (nodes.map(|(node, _)| Arc::clone(node)).collect(), all_served)
    }

    /// Assigns a slot to the node at an endpoint.
    pub(super) fn moved(&mut self, slot: u16, to: &Endpoint, seeds: &[Arc<Node>]) -> Arc<Node> {
        let node = self.node_at(to, seeds);
        self.node_of[usize::from(slot)] = self.index(&node);
        node
    }

    /// Replaces the slot map. Known nodes keep their connections. A node without slots stays known while it has a connection.
    pub(super) fn replace(&mut self, ranges: &[SlotRange], seeds: &[Arc<Node>]) {
        let mut known = std::mem::take(self).nodes;
        known.extend_from_slice(seeds);
        for (first, last, endpoint) in ranges {
            let node = self.node_at(endpoint, &known);
            let index = self.index(&node);
            self.node_of[usize::from(*first)..=usize::from(*last)].fill(index);
        }
        for node in known.iter().filter(|node| node.is_connected_anywhere()) {
            self.node_at(node.endpoint(), &known);
        }
    }

    /// Creates the node if it is neither known nor a seed.
    pub(super) fn node_at(&mut self, endpoint: &Endpoint, seeds: &[Arc<Node>]) -> Arc<Node> {
        let is_same = |node: &&Arc<Node>| node.endpoint().location == endpoint.location;
        if let Some(known) = self.nodes.iter().find(is_same) {
            return Arc::clone(known);
        }
        let seed = seeds.iter().find(is_same);
        let node = seed
            .map_or_else(|| Node::new(Connector::Server(endpoint.clone(), Role::ClusterNode)), Arc::clone);
        self.nodes.push(Arc::clone(&node));
        node
    }

    fn index(&self, node: &Arc<Node>) -> u16 {
        let index = self.nodes.iter().position(|known| Arc::ptr_eq(known, node));
        index.and_then(|index| u16::try_from(index).ok()).unwrap_or(UNSERVED)
    }
}

/// A range of slots: the first slot, the last slot, and the endpoint of their primary.
pub(super) type SlotRange = (u16, u16, Endpoint);

/// Reads the reply of the node `by` to `CLUSTER SLOTS`. Returns `None` if the reply has another form.
pub(super) fn read_ranges(reply: &Value, by: &Endpoint) -> Option<Vec<SlotRange>> {
    let Value::Array(ranges) = reply else { return None };
    ranges.iter().map(|range| read_range(range, by)).collect()
}

fn read_range(range: &Value, by: &Endpoint) -> Option<SlotRange> {
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
    let port = u16::try_from(*port).ok()?;
    (first <= last && last < SLOTS).then(|| (first, last, endpoint(host, port, by)))
}

/// `name` is `host:port`, in a redirection that the node `by` has sent.
pub(super) fn named_endpoint(name: &str, by: &Endpoint) -> Endpoint {
    let (host, port) = name.rsplit_once(':').unwrap_or(("", name));
    endpoint(host.trim_start_matches('[').trim_end_matches(']'), port.parse().unwrap_or_default(), by)
}

/// An empty or invalid host means the host of the node `by`.
fn endpoint(host: &str, port: u16, by: &Endpoint) -> Endpoint {
    match &by.location {
        Location::Tcp(own, _) if !is_host(host) => by.announced(own, port),
        _ => by.announced(host, port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Endpoint {
        Endpoint::given().announced("own", 7000)
    }

    fn range(first: i64, last: i64, host: &str, port: i64) -> Value {
        let node = Value::Array(vec![
            Value::BulkString(host.into()),
            Value::Int(port),
            Value::SimpleString("id".into()),
        ]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node])
    }

    fn map_of(ranges: Vec<Value>) -> SlotMap {
        let mut map = SlotMap::default();
        map.replace(&read_ranges(&Value::Array(ranges), &own()).unwrap(), &[]);
        map
    }

    fn node_name(map: &SlotMap, slot: u16) -> String {
        map.node(slot).map_or_else(String::new, |node| node.endpoint().to_string())
    }

    #[test]
    fn each_slot_has_its_node() {
        let map = map_of(vec![range(0, 99, "a", 1), range(100, 16_383, "", 2), range(50, 50, "::1", 3)]);
        assert_eq!(
            [0, 49, 50, 51, 100, 16_383].map(|slot| node_name(&map, slot)),
            ["a:1", "a:1", "[::1]:3", "a:1", "own:2", "own:2"]
        );
        assert_eq!(node_name(&map_of(vec![range(0, 1, "a", 1)]), 2), "");
    }

    #[test]
    fn nodes_that_serve_slots_are_counted() {
        let number_of_serving = |map: &SlotMap| (map.serving().0.len(), map.serving().1);
        let mut map = map_of(vec![range(0, 99, "a", 1), range(100, 16_383, "b", 2)]);
        assert_eq!((number_of_serving(&map), map.is_empty()), ((2, true), false));
        map.node_at(&own(), &[]);
        assert_eq!(number_of_serving(&map), (2, true), "a known node without slots");
        assert_eq!(number_of_serving(&map_of(vec![range(5, 5, "a", 1)])), (1, false));
        assert_eq!(
            (number_of_serving(&SlotMap::default()), SlotMap::default().is_empty()),
            ((0, false), true)
        );
    }

    #[test]
    fn a_slot_moves_and_nodes_stay() {
        let mut map = map_of(vec![range(0, 16_383, "a", 1)]);
        let first = map.node(0).unwrap();
        let to = map.moved(5, &own().announced("b", 2), &[]);
        assert!(
            Arc::ptr_eq(&map.moved(6, &own().announced("b", 2), &[]), &to),
            "the second call finds the node"
        );
        assert!(Arc::ptr_eq(&map.node_at(&own().announced("b", 2), &[]), &to));
        assert_eq!([4, 5, 6].map(|slot| node_name(&map, slot)), ["a:1", "b:2", "b:2"]);
        map.replace(
            &read_ranges(&Value::Array(vec![range(0, 9, "b", 2), range(10, 20, "a", 1)]), &own()).unwrap(),
            &[],
        );
        assert!(Arc::ptr_eq(&map.node(0).unwrap(), &to) && Arc::ptr_eq(&map.node(10).unwrap(), &first));
        assert_eq!(node_name(&map, 21), "");
    }

    #[test]
    fn a_redirection_names_an_endpoint() {
        for (name, shown) in [
            ("a:1", "a:1"),
            (":2", "own:2"),
            ("?:2", "own:2"),
            ("::1:3", "[::1]:3"),
            ("[::1]:3", "[::1]:3"),
            ("ratelimit:{walrus}:login:c2:2", "own:2"),
            ("'walrus':2", "own:2"),
        ] {
            assert_eq!(named_endpoint(name, &own()).to_string(), shown);
        }
    }

    #[test]
    fn redirections_and_slots_are_mapped() {
        let own = own().mapped(|host, port| (format!("to.{host}"), port + 1));
        assert_eq!(named_endpoint("a:1", &own).to_string(), "to.a:2");
        let ranges = read_ranges(&Value::Array(vec![range(0, 1, "a", 1)]), &own).unwrap();
        assert_eq!(ranges[0].2.to_string(), "to.a:2");
        // A node that was reached through the map names its neighbors, too.
        assert_eq!(named_endpoint("b:1", &ranges[0].2).to_string(), "to.b:2");
    }

    #[test]
    fn a_reply_of_another_form_is_refused() {
        for reply in [
            Value::Nil,
            Value::Array(vec![Value::Int(1)]),
            Value::Array(vec![range(5, 4, "a", 1)]),
            Value::Array(vec![range(0, 16_384, "a", 1)]),
            Value::Array(vec![range(-1, 4, "a", 1)]),
            Value::Array(vec![range(0, 4, "a", 70_000)]),
        ] {
            assert!(read_ranges(&reply, &own()).is_none(), "{reply:?}");
        }
    }
}
