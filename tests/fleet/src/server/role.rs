//! The role of a server: a primary, a replica, a sentinel, or a node of a cluster. Roles change in a failover.

use super::keyspace::{Bytes, Keyspace};
use super::reply::Reply;
use super::slots::{FIRST_PORT, Owners, Slots};
use super::{Server, State};
use std::time::Duration;
use tokio::time::Instant;

/// How much of its past a server keeps: more than a failover loses.
const PAST: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(crate) enum Role {
    Primary,
    Replica,
    /// Names this server as the primary.
    Sentinel(usize),
    /// A replica is a node without slots.
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

    /// The reply if another server must execute a command with these keys.
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
    /// The keys as they were before this time.
    pub(crate) fn keys_before(&self, lost: Duration) -> Keyspace {
        let state = self.state();
        if lost.is_zero() {
            return state.keys.copy();
        }
        let from = Instant::now() - lost;
        // Each copy has the state before one command.
        let earlier = state.past.iter().flatten().find(|(at, _)| *at >= from);
        earlier.map_or_else(|| state.keys.copy(), |(_, keys)| keys.copy())
    }

    /// Becomes the primary with these keys, or a node with the slots of the old one.
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

    /// A sentinel learns which server is the primary.
    pub(crate) fn name_primary(&self, server: usize) {
        let mut state = self.state();
        if let Role::Sentinel(primary) = &mut state.role {
            *primary = server;
        }
    }

    /// A node learns the nodes of all slots.
    pub(crate) fn learn(&self, owners: Owners) {
        self.with_slots(|slots, _| slots.learn(owners));
    }

    /// Changes what a node knows about slots, and its keys.
    pub(crate) fn with_slots<T>(&self, act: impl FnOnce(&mut Slots, &mut Keyspace) -> T) -> Option<T> {
        let state = &mut *self.state();
        if let Role::Node(slots) = &mut state.role { Some(act(slots, &mut state.keys)) } else { None }
    }
}
