//! A simulated server: keys, scripts and troubles, on virtual time.

mod collections;
mod commands;
mod connection;
mod execute;
mod keyspace;
mod referee;
mod reply;
mod role;
mod scripts;
mod slots;
mod wire;

pub(crate) use connection::{BUFFER, Link, LinkFault, serve};
pub(crate) use keyspace::Keyspace;
pub(crate) use reply::Reply;
pub(crate) use role::Role;
pub(crate) use slots::{FIRST_PORT, Owners, Slots, slot_of, split};

use execute::may_change;
use keyspace::Bytes;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// The reason why a running server rejects commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Loading,
    OutOfMemory,
    ReadOnly,
    ClusterDown,
    NoReplicas,
    /// The server cannot save its data.
    Misconfigured,
    /// The password was changed, and all connections were closed.
    WrongPassword,
    /// The user has lost a permission.
    NoPermission,
    /// The certificate has expired, and all connections were closed. New connections end with the alert of TLS.
    Certificate,
}

impl Trouble {
    fn reply(self) -> Reply {
        Reply::error(match self {
            Self::Loading => "LOADING Redis is loading the dataset in memory",
            Self::OutOfMemory => "OOM command not allowed when used memory > 'maxmemory'.",
            Self::ReadOnly => "READONLY You can't write against a read only replica.",
            Self::ClusterDown => "CLUSTERDOWN The cluster is down",
            Self::NoReplicas => "NOREPLICAS Not enough good replicas to write.",
            Self::Misconfigured => {
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that \
                 may modify the data set are disabled, because this instance is configured to report errors during writes if RDB \
                 snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB \
                 error."
            }
            Self::WrongPassword => "NOAUTH Authentication required.",
            Self::NoPermission => "NOPERM User default has no permissions to run the 'evalsha' command",
            Self::Certificate => "ERR no TLS",
        })
    }

    /// Whether the server rejects only writes. A script then runs until its first write.
    fn is_about_writes(self) -> bool {
        matches!(self, Self::OutOfMemory | Self::NoReplicas | Self::Misconfigured | Self::ReadOnly)
    }

    /// Whether the trouble concerns the credentials, so that somebody must repair it.
    pub(crate) fn is_about_credentials(self) -> bool {
        matches!(self, Self::WrongPassword | Self::NoPermission | Self::Certificate)
    }
}

/// A server of the fleet.
pub(crate) struct Server(Mutex<State>);

pub(crate) struct State {
    keys: Keyspace,
    role: Role,
    /// Earlier states of the keys. `None` if the run has only one server.
    past: Option<VecDeque<(Instant, Keyspace)>>,
    pub(crate) scripts: BTreeSet<String>,
    pub(crate) is_up: bool,
    start: Instant,
    /// The server's clock at the start, in µs since 1970.
    epoch: u64,
    pub(crate) clock_offset: i64,
    /// The reason why commands are rejected, and the time at which commands are executed again.
    pub(crate) trouble: Option<(Trouble, Instant)>,
    /// The time until which no command is executed, as if one slow command ran.
    pub(crate) stalled_until: Instant,
    connections: Vec<AbortHandle>,
    executed: u64,
    /// The number of commands that were redirected to another server.
    redirected: u64,
    /// Each override that was stored: the time, the field, the text, and the time after which it expires.
    pub(crate) overrides: Vec<(Instant, Bytes, Bytes, Option<Duration>)>,
    /// The replies of scripts that differ from the definition of the algorithm.
    pub(crate) misjudged: Vec<String>,
    /// The executed commands with their times. `None` if the log does not show them.
    pub(crate) shown: Option<Vec<(Instant, String)>>,
}

/// The server's data about a connected client.
pub(crate) struct Client {
    /// The name of the host to which the client has connected.
    pub(crate) host: String,
    /// Whether the next command may use a slot that this server takes over (`ASKING`).
    pub(crate) is_asking: bool,
    /// Whether the client has sent the right password.
    pub(crate) has_password: bool,
}

impl Server {
    pub(crate) fn start(role: Role, is_replicated: bool, epoch: Duration) -> Self {
        let now = Instant::now();
        Self(Mutex::new(State {
            keys: Keyspace::default(),
            role,
            past: is_replicated.then(VecDeque::new),
            scripts: BTreeSet::new(),
            is_up: true,
            start: now,
            epoch: u64::try_from(epoch.as_micros()).unwrap_or(0),
            clock_offset: 0,
            trouble: None,
            stalled_until: now,
            connections: Vec::new(),
            executed: 0,
            redirected: 0,
            overrides: Vec::new(),
            misjudged: Vec::new(),
            shown: None,
        }))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the process. The script cache is lost. Without persistence, the keys are also lost.
    pub(crate) fn stop(&self, keeps_keys: bool) {
        self.hang_up();
        let mut state = self.state();
        state.is_up = false;
        state.scripts.clear();
        if !keeps_keys {
            state.keys.clear();
            state.past.iter_mut().for_each(VecDeque::clear);
        }
    }

    /// Closes all connections.
    pub(crate) fn hang_up(&self) {
        self.state().connections.drain(..).for_each(|connection| connection.abort());
    }

    /// The trouble of the server now.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        let trouble = self.state().trouble;
        trouble.filter(|(_, until)| Instant::now() < *until).map(|(trouble, _)| trouble)
    }

    /// Ends all faults that have a duration.
    pub(crate) fn heal(&self) {
        let mut state = self.state();
        (state.is_up, state.trouble, state.stalled_until) = (true, None, Instant::now());
    }

    pub(crate) fn add_connection(&self, task: AbortHandle) {
        let mut state = self.state();
        state.connections.retain(|connection| !connection.is_finished());
        state.connections.push(task);
    }

    pub(crate) fn open_connections(&self) -> usize {
        self.state().connections.iter().filter(|connection| !connection.is_finished()).count()
    }

    /// The number of executed commands, the number of redirected commands, and the number of keys.
    pub(crate) fn sizes(&self) -> (u64, u64, usize) {
        let mut state = self.state();
        state.set_time();
        (state.executed, state.redirected, state.keys.live())
    }

    /// The times at which texts were stored under a key, each with the time at which the text expires. Both count from the
    /// start.
    pub(crate) fn begun(&self, key: &[u8]) -> Vec<(Duration, Duration)> {
        let state = self.state();
        let of_key = state.keys.begun.iter().filter(|(begun, ..)| begun == key);
        let passed = |micros: u64| Duration::from_micros(micros.saturating_sub(state.epoch));
        of_key.map(|(_, from, to)| (passed(*from), passed(*to))).collect()
    }

    /// The number of keys of limits that never expire. Overrides are configuration, so their keys never expire and are not
    /// counted.
    pub(crate) fn endless(&self) -> usize {
        let mut state = self.state();
        state.set_time();
        state.keys.endless()
    }

    fn execute(&self, client: &mut Client, words: &[Bytes]) -> Reply {
        self.state().execute(client, words)
    }
}
