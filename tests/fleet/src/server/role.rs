//! The role of a server: a primary, a replica, a sentinel, or a node of a cluster. A failover changes roles.

use super::keyspace::{Bytes, Keyspace};
use super::reply::Reply;
use super::slots::{FIRST_PORT, Owners, Slots};
use super::{Server, State};
use std::time::Duration;
use tokio::time::Instant;

/// The time for which a server stores earlier states of its keys. It is longer than the time that a failover loses.
const PAST: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(crate) enum Role {
    Primary,
    Replica,
    /// A sentinel that reports this server as the primary.
    Sentinel(usize),
    /// A node of a cluster. A replica is a node without slots.
    Node(Slots),
}

impl Role {
    pub(super) fn hello(&self) -> Reply {
        let (mode, role) = match self {
            Self::Primary => ("standalone", "master"),
            Self::Replica => ("standalone", "replica"),
            Self::Sentinel(_) => ("sentinel", "sentinel"),
            Self::Node(_) => ("cluster", "master"),
        };
        Reply::Array(["server", "redis", "mode", mode, "role", role].map(Reply::text).into())
    }

    pub(super) fn named_primary(&self, host: &str) -> Reply {
        match self {
            Self::Sentinel(primary) => {
                let port = usize::from(FIRST_PORT) + primary;
                Reply::Array(vec![Reply::text(host), Reply::text(port.to_string())])
            }
            _ => Reply::error("ERR unknown command 'SENTINEL'"),
        }
    }

    pub(super) fn slots(&self) -> Option<&Slots> {
        if let Self::Node(slots) = self { Some(slots) } else { None }
    }

    /// The reply if this server must not execute a command with these keys. `None` if it may.
    pub(super) fn elsewhere(&self, keys: &mut Keyspace, names: &[Bytes], is_asking: bool) -> Option<Reply> {
        match self {
            Self::Node(slots) => slots.redirection(keys, names, is_asking),
            Self::Replica => Some(super::Trouble::ReadOnly.reply()),
            Self::Primary | Self::Sentinel(_) => None,
        }
    }
}

impl State {
    pub(super) fn keep_past(&mut self) {
        let Some(past) = &mut self.past else { return };
        let now = Instant::now();
        if past.back().is_some_and(|(at, _)| *at == now) {
            return;
        }
        past.push_back((now, self.keys.copy()));
        while past.get(1).is_some_and(|(at, _)| *at + PAST < now) {
            past.pop_front();
        }
    }
}

impl Server {
    /// A copy of the keys as they were `lost` ago.
    pub(crate) fn keys_before(&self, lost: Duration) -> Keyspace {
        let state = self.state();
        if lost.is_zero() {
            return state.keys.copy();
        }
        let from = Instant::now() - lost;
        // Each copy was made before a command changed the keys, so the first copy after `from` shows the keys as they were at
        // `from`.
        let earlier = state.past.iter().flatten().find(|(at, _)| *at >= from);
        earlier.map_or_else(|| state.keys.copy(), |(_, keys)| keys.copy())
    }

    /// Makes this server the primary with these keys. In a cluster, it becomes a node with the slots of the old primary.
    pub(crate) fn promote(&self, mut keys: Keyspace, role: Role) {
        self.heal();
        let mut state = self.state();
        keys.begun = std::mem::take(&mut state.keys.begun);
        state.keys = keys;
        state.role = role;
    }

    pub(crate) fn become_replica(&self) {
        let mut state = self.state();
        if matches!(state.role, Role::Primary) {
            state.role = Role::Replica;
        }
    }

    /// Tells a sentinel which server is the primary.
    pub(crate) fn name_primary(&self, server: usize) {
        let mut state = self.state();
        if let Role::Sentinel(primary) = &mut state.role {
            *primary = server;
        }
    }

    /// Tells a node which node owns each slot.
    pub(crate) fn learn(&self, owners: Owners) {
        self.with_slots(|slots, _| slots.learn(owners));
    }

    /// Gives access to a node's slots and keys. Returns `None` if the server is not a node of a cluster.
    pub(crate) fn with_slots<T>(&self, act: impl FnOnce(&mut Slots, &mut Keyspace) -> T) -> Option<T> {
        let state = &mut *self.state();
        if let Role::Node(slots) = &mut state.role { Some(act(slots, &mut state.keys)) } else { None }
    }
}
