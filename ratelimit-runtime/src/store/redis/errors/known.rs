//! Tables of the known errors of Redis, Valkey and proxies, and their meaning.

/// A part of an error's text in lower case, its meaning, and the code to show in place of the server's code.
pub(super) type Phrase = (&'static str, &'static str, Option<&'static str>);

/// The error codes that a command of this library can receive, and their meaning.
pub(super) const CODES: [(&str, &str); 22] = [
    ("ERR", UNKNOWN),
    ("NOPERM", "the user lacks a permission"),
    ("NOAUTH", "the server requires a password"),
    ("WRONGPASS", "the user or the password is wrong"),
    ("NOPROTO", "the server does not support this version of the protocol; remove `protocol` from the URL"),
    (
        "DENIED",
        "the server is in protected mode and serves only its own machine; set a password on the server",
    ),
    ("OOM", "the used memory is above `maxmemory`"),
    ("LOADING", "the server is loading its data"),
    ("BUSY", "another script is running"),
    ("BUSYKEY", "the key already exists"),
    ("READONLY", "the server is a replica"),
    ("MASTERDOWN", "the server is a replica that has lost its primary"),
    ("NOREPLICAS", "the server has too few synchronised replicas to accept writes"),
    ("MISCONF", "the server cannot save its data and refuses writes; see its log"),
    ("CLUSTERDOWN", "the cluster is down"),
    ("CROSSSLOT", "the keys of the call are on several slots"),
    ("TRYAGAIN", "the slot of the keys is being moved"),
    ("MOVED", "another node serves the slot"),
    ("ASK", "the slot is being moved to another node"),
    ("NOSCRIPT", "the server does not know the script"),
    ("WRONGTYPE", "the key holds another type of value"),
    ("EXECABORT", "the server has discarded the transaction"),
];

/// The meaning of an error with an unknown code or text.
pub(super) const UNKNOWN: &str = "unknown error; its text may contain a key or a password and is not shown";

/// The words in [`COMMAND_PHRASES`] that are replaced by the name of the command, if the name is known.
pub(super) const A_COMMAND: &str = "a command";

/// Phrases that a server puts before the name of a command.
pub(super) const COMMAND_PHRASES: [Phrase; 4] = [
    ("permissions to run", "no permission to run a command", Some("NOPERM")),
    ("unknown command", "a command is unknown, renamed, or blocked by a proxy", None),
    ("wrong number of arguments for", "wrong number of arguments for a command", None),
    ("unsupported command", "a command is not supported by the server or by a proxy", None),
];

/// Other phrases. The first one that an error contains applies.
pub(super) const PHRASES: [Phrase; 25] = [
    ("can't run this command", "no permission to run a command of a script", Some("NOPERM")),
    ("permissions to access a channel", "no permission to access a channel", Some("NOPERM")),
    ("permissions to access", "no permission to access a key", Some("NOPERM")),
    ("can't access at least one of the keys", "no permission to access a key", Some("NOPERM")),
    ("db index is out of range", "the database in the URL does not exist", None),
    ("select is not allowed in cluster mode", "a cluster has only database 0", None),
    ("cluster support disabled", "the server is not a node of a cluster; write `redis://`", None),
    (
        "max number of clients reached",
        "the server already has `maxclients` connections; increase `maxclients`",
        None,
    ),
    ("command not allowed when used memory", "the used memory is above `maxmemory`", Some("OOM")),
    ("hash slot not served", "no node serves the slot", None),
    ("cluster is down", "the cluster is down", None),
    ("unsupported protocol version", "the server does not support this version of the protocol", None),
    ("no password is set", "the server has no password; remove the password from the URL", None),
    ("without any password configured", "the server has no password; remove the password from the URL", None),
    ("invalid username-password pair", "the user or the password is wrong", None),
    ("invalid password", "the user or the password is wrong", None),
    ("refused to authenticate", "the server does not confirm the password", None),
    ("unknown redis command", "the server does not know a command of a script", None),
    ("command is not allowed from script", "the server does not allow a command of a script", None),
    ("wrong kind of value", "the key holds another type of value", None),
    ("no upstream host", "the proxy has no server", None),
    ("upstream failure", "the proxy cannot reach its server", None),
    ("error compiling script", "the server cannot compile a script", None),
    ("attempt to perform arithmetic", "a script failed on its arguments", None),
    ("attempt to compare", "a script failed on its arguments", None),
];

/// What an administrator can do about an error with this code.
pub(super) const ADVICE: [(&str, &str); 3] = [
    (
        "OOM",
        "increase `maxmemory`, or let the server evict keys with a TTL (`maxmemory-policy volatile-ttl`)",
    ),
    ("NOPERM", "`lua/README.md` lists the permissions that the user needs"),
    ("LOADING", "calls succeed again when it has finished"),
];

/// The commands that this library and its command-line tool send, and the commands that its scripts call.
#[rustfmt::skip]
pub(super) const COMMANDS: [&str; 40] = [
    "asking", "auth", "client", "client|setinfo", "cluster", "cluster|slots", "eval", "evalsha", "hdel", "hello", "hget",
    "hgetall", "hset", "ping", "select", "sentinel", "sentinel|get-master-addr-by-name",
    "del", "get", "incrby", "lindex", "llen", "lrem", "ltrim", "mget", "pexpire", "rpush", "set", "time",
    "cluster|info", "dbsize", "info", "scan",
    "zadd", "zcount", "zrange", "zrangebyscore", "zrem", "zremrangebyscore", "zscore",
];
