//! Tables of the known errors of Redis, Valkey and proxies: what they mean, and whether they pass by themselves.

use crate::error::ErrorKind::{self, Configuration, Unavailable};

/// A part of an error's text in lower case, its meaning, its kind, and the code to show in place of the server's code.
type Phrase = (&'static str, &'static str, ErrorKind, Option<&'static str>);

/// The error codes that a command of this library can receive, with their meaning and their kind. `ERR` is missing, because it
/// has no meaning of its own.
#[rustfmt::skip]
pub(super) const CODES: [(&str, &str, ErrorKind); 20] = [
    ("NOPERM", "the user lacks a permission", Configuration),
    ("NOAUTH", "the server requires a password", Configuration),
    ("WRONGPASS", "the user or the password is wrong", Configuration),
    ("NOPROTO", "the server does not support this version of the protocol; remove `protocol` from the URL", Configuration),
    ("DENIED", "the server is in protected mode and serves only its own machine; set a password on the server", Configuration),
    ("OOM", "the used memory is above `maxmemory`", Unavailable),
    ("LOADING", "the server is loading its data", Unavailable),
    ("BUSY", "another script is running", Unavailable),
    ("BUSYKEY", "the key already exists", Configuration),
    ("READONLY", "the server is a replica", Unavailable),
    ("MASTERDOWN", "the server is a replica that has lost its primary", Unavailable),
    ("NOREPLICAS", "the server has too few synchronised replicas to accept writes", Unavailable),
    ("MISCONF", "the server cannot save its data and refuses writes; see its log", Unavailable),
    ("CLUSTERDOWN", "the cluster is down", Unavailable),
    ("CROSSSLOT", "the keys of the call are on several slots", Configuration),
    ("TRYAGAIN", "the slot of the keys is being moved", Unavailable),
    ("MOVED", "another node serves the slot", Unavailable),
    ("ASK", "the slot is being moved to another node", Unavailable),
    ("NOSCRIPT", "the server does not know the script", Configuration),
    ("WRONGTYPE", "the key holds another type of value", Configuration),
];

/// The code of an error whose meaning is only in its text.
pub(super) const ERR: &str = "ERR";

/// A placeholder in the meanings of [`PHRASES`]. If the phrase of an error is followed by the name of a known command, the name
/// takes the place of these words.
pub(super) const A_COMMAND: &str = "a command";

/// Phrases in the texts of errors. If an error contains several of these phrases, the first one in this table applies.
#[rustfmt::skip]
pub(super) const PHRASES: [Phrase; 52] = [
    ("permissions to run", "no permission to run a command", Configuration, Some("NOPERM")),
    ("unknown command", "a command is unknown, renamed, or blocked by a proxy", Configuration, None),
    ("wrong number of arguments for", "wrong number of arguments for a command", Configuration, None),
    ("unsupported command", "a command is not supported by the server or by a proxy", Configuration, None),
    ("can't run this command", "no permission to run a command of a script", Configuration, Some("NOPERM")),
    ("permissions to access a channel", "no permission to access a channel", Configuration, Some("NOPERM")),
    ("permissions to access", "no permission to access a key", Configuration, Some("NOPERM")),
    ("can't access at least one of the keys", "no permission to access a key", Configuration, Some("NOPERM")),
    ("unauthenticated multibulk length", "the server requires a password", Configuration, Some("NOAUTH")),
    ("unauthenticated bulk length", "the server requires a password", Configuration, Some("NOAUTH")),
    ("db index is out of range", "the database in the URL does not exist", Configuration, None),
    ("select is not allowed in cluster mode", "a cluster has only database 0", Configuration, None),
    ("cluster support disabled", "the server is not a node of a cluster; write `redis://`", Configuration, None),
    ("unsupported protocol version", "the server does not support this version of the protocol", Configuration, None),
    ("no password is set", "the server has no password; remove the password from the URL", Configuration, None),
    ("without any password configured", "the server has no password; remove the password from the URL", Configuration, None),
    ("invalid username-password pair", "the user or the password is wrong", Configuration, None),
    ("invalid password", "the user or the password is wrong", Configuration, None),
    ("refused to authenticate", "the server does not confirm the password", Configuration, None),
    ("unknown redis command", "the server does not know a command of a script", Configuration, None),
    ("command is not allowed from script", "the server does not allow a command of a script", Configuration, None),
    ("wrong kind of value", "the key holds another type of value", Configuration, None),
    ("not an integer or out of range", "the key holds another number", Configuration, None),
    ("would overflow", "the key holds another number", Configuration, None),
    ("error compiling script", "the server cannot compile a script", Configuration, None),
    ("attempt to perform arithmetic", "a script failed on its arguments", Configuration, None),
    ("attempt to compare", "a script failed on its arguments", Configuration, None),
    ("could not find scripting engine", "the server has no Lua", Configuration, None),
    ("scripting support disabled", "the server has no Lua", Configuration, None),
    ("without any input keys", "the server runs no scripts without keys", Configuration, None),
    ("script attempted to access", "a script touched a key that it may not touch", Configuration, None),
    ("undeclared key", "a script touched a key that it may not touch", Configuration, None),
    ("too many arguments", "the server or a proxy does not accept a call with so many arguments", Configuration, None),
    ("invalid request", "a proxy does not accept the call", Configuration, None),
    ("command not allowed when used memory", "the used memory is above `maxmemory`", Unavailable, Some("OOM")),
    ("max number of clients reached", "the server already has `maxclients` connections; increase `maxclients`", Unavailable, None),
    ("max daily request limit exceeded", "the provider's requests of this day are used up; choose a larger plan", Unavailable, None),
    ("max requests limit exceeded", "the provider's requests of this month are used up; choose a larger plan", Unavailable, None),
    ("max concurrent request limit exceeded", "the provider admits no more requests at the same time; choose a larger plan", Unavailable, None),
    ("max concurrent connections exceeded", "the provider admits no more connections; choose a larger plan", Unavailable, None),
    ("db capacity quota exceeded", "the provider's storage is used up; choose a larger plan", Unavailable, None),
    ("hash slot not served", "no node serves the slot", Unavailable, None),
    ("cluster is down", "the cluster is down", Unavailable, None),
    ("killed by user", "the script was killed by `SCRIPT KILL`", Unavailable, None),
    ("no upstream host", "the proxy has no server", Unavailable, None),
    ("upstream failure", "the proxy cannot reach its server", Unavailable, None),
    ("upstream protocol error", "the proxy cannot understand its server", Unavailable, None),
    ("connection refused", "the proxy cannot reach its server", Unavailable, None),
    ("connection timed out", "the proxy cannot reach its server", Unavailable, None),
    ("connection reset by peer", "the proxy has lost its server", Unavailable, None),
    ("no route to host", "the proxy cannot reach its server", Unavailable, None),
    ("host is down", "the proxy cannot reach its server", Unavailable, None),
];

/// Error codes, each with advice for the administrator.
pub(super) const ADVICE: [(&str, &str); 4] = [
    (
        "OOM",
        "increase `maxmemory`, or move the limits to a server of their own with `maxmemory-policy noeviction`: other policies \
         evict limits that are in use",
    ),
    ("NOPERM", "`lua/README.md` lists the permissions that the user needs"),
    ("LOADING", "calls succeed again when it has finished"),
    (
        "CLUSTERDOWN",
        "restart the missing node; with `cluster-require-full-coverage no`, the other nodes decide in the meantime",
    ),
];

/// The commands that this library and its command-line tool send, and the commands that its scripts call.
#[rustfmt::skip]
pub(super) const COMMANDS: [&str; 44] = [
    "asking", "auth", "client", "client|setinfo", "cluster", "cluster|slots", "eval", "evalsha", "hdel", "hello", "hget",
    "hgetall", "hset", "ping", "select", "sentinel", "sentinel|get-master-addr-by-name",
    "del", "get", "hmget", "incrby", "lindex", "llen", "lrem", "ltrim", "mget", "pexpire", "pttl", "rpush", "set", "time",
    "cluster|info", "config", "config|get", "dbsize", "info", "scan",
    "zadd", "zcount", "zrange", "zrangebyscore", "zrem", "zremrangebyscore", "zscore",
];
