//! Probes of the servers: one decision for each node, under a key in one of its slots.

use super::RedisStore;
use super::server::Node;
use super::topology::{Slots, Topology};
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::{Awaited, Mode, PROBE, Reply, ReplyKind, Request, Store};
use std::sync::Arc;

/// The first numbers in the tag of a key that are tried. They reach every slot.
const TAGS: u32 = 1 << 18;

impl RedisStore {
    /// Probes each server. See [`Store::probe`].
    pub(super) fn probe_servers(&self, key: &StoreKey) -> Reply<Vec<Reply<()>>> {
        match self.client.topology() {
            Topology::Server(node) => Reply::ready(Ok(vec![self.probe_node(node, key.clone())])),
            Topology::Cluster(slots) => {
                let awaited = Arc::new(Awaited::default());
                let observer = Arc::clone(&awaited);
                let (store, slots, key) = (self.clone(), Arc::clone(slots), key.clone());
                Reply::pending(async move { store.probe_cluster(&slots, &key, &awaited).await })
                    .observed_by(observer)
            }
        }
    }

    async fn probe_cluster(
        &self,
        slots: &Arc<Slots>,
        key: &StoreKey,
        awaited: &Awaited,
    ) -> Result<Vec<Reply<()>>, Error> {
        slots.learn(awaited).await?;
        let (nodes, unserved) = slots.serving((0..TAGS).map(|number| with_tag(key, number)));
        let mut replies: Vec<Reply<()>> =
            nodes.into_iter().map(|(node, key)| self.probe_node(&node, key)).collect();
        replies.extend(unserved.map(|error| Reply::ready(Err(error))));
        Ok(replies)
    }

    /// Decides about one call of a key on this node. An unhealthy node is tried first, if that is due.
    fn probe_node(&self, node: &Arc<Node>, key: StoreKey) -> Reply<()> {
        let awaited = Arc::new(Awaited::default());
        let observer = Arc::clone(&awaited);
        let (store, node) = (self.clone(), Arc::clone(node));
        Reply::pending(async move {
            node.session()?.connection.until_attempted().await?;
            let mut reply = store.decide(Mode::Check, &[&Request::new(key, PROBE, 1)]).into_kind();
            if let ReplyKind::Pending(pending) = &mut reply
                && let Some(observer) = pending.observer()
            {
                awaited.set(observer);
            }
            Reply::from(reply).await.map(drop)
        })
        .observed_by(observer)
    }
}

/// Returns the key with a number in its tag `#`. No identity has such a tag: a hash has 32 digits.
fn with_tag(key: &StoreKey, number: u32) -> StoreKey {
    let bytes = key.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'}').unwrap_or(bytes.len());
    let (head, tail) = bytes.split_at(at);
    StoreKey::new(&[head, number.to_string().as_bytes(), tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redis::topology::key_slot;
    use std::collections::HashSet;

    #[test]
    fn the_tags_reach_every_slot() {
        let key = StoreKey::new(b"shop:{#}:probe:c2");
        assert_eq!(with_tag(&key, 42).as_bytes(), b"shop:{#42}:probe:c2");
        let slots: HashSet<u16> =
            (0..TAGS).map(|number| key_slot(with_tag(&key, number).as_bytes())).collect();
        assert_eq!(slots.len(), 16_384);
    }
}
