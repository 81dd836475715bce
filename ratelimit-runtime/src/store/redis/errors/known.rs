//! What Redis, Valkey and proxies are known to say in their errors, and what it means.

/// What is found in an error, in lower case; what it means; the code to show in place of the server's.
pub(crate) type Phrase = (&'static str, &'static str, Option<&'static str>);

/// The codes of the errors that can answer a command of this library.
pub(crate) const CODES: [(&str, &str); 22] = [
    ("ERR", UNKNOWN),
    ("NOPERM", "its user lacks a permission"),
    ("NOAUTH", "it wants a password"),
    ("WRONGPASS", "the user or the password is wrong"),
    ("NOPROTO", "it does not speak this version of the protocol; leave out `protocol` in the URL"),
    ("DENIED", "it is in protected mode and serves its own machine only; give it a password"),
    ("OOM", "its used memory is above `maxmemory`"),
    ("LOADING", "it is loading its data"),
    ("BUSY", "another script is running"),
    ("BUSYKEY", "the key exists already"),
    ("READONLY", "it is a replica"),
    ("MASTERDOWN", "it is a replica that has lost its primary"),
    ("NOREPLICAS", "it has too few replicas in step to accept writes"),
    ("MISCONF", "it cannot save its data and refuses writes; its log says why"),
    ("CLUSTERDOWN", "the cluster is down"),
    ("CROSSSLOT", "the keys of the call are on several slots"),
    ("TRYAGAIN", "the slot of the keys is being moved"),
    ("MOVED", "another node has the slot"),
    ("ASK", "the slot is being moved to another node"),
    ("NOSCRIPT", "it does not know the script"),
    ("WRONGTYPE", "the key holds another type of value"),
    ("EXECABORT", "it has discarded the transaction"),
];

/// What is said of an error with an unknown code or text.
pub(crate) const UNKNOWN: &str =
    "an error that this library does not know; its text may quote a key or a password and is not shown";

/// Stands for the command that follows one of [`OF_COMMANDS`], where its name is not known.
pub(crate) const A_COMMAND: &str = "a command";

/// Phrases in front of the name of a command.
pub(crate) const OF_COMMANDS: [Phrase; 4] = [
    ("permissions to run", "no permission to run a command", Some("NOPERM")),
    ("unknown command", "a command is unknown to it, renamed, or blocked by a proxy", None),
    ("wrong number of arguments for", "it expects other arguments for a command", None),
    ("unsupported command", "a command is not supported by it or by a proxy", None),
];

/// Other phrases. Of those that an error has, the first counts.
pub(crate) const PHRASES: [Phrase; 25] = [
    ("can't run this command", "no permission to run a command of a script", Some("NOPERM")),
    ("permissions to access a channel", "no permission to access a channel", Some("NOPERM")),
    ("permissions to access", "no permission to access a key", Some("NOPERM")),
    ("can't access at least one of the keys", "no permission to access a key", Some("NOPERM")),
    ("db index is out of range", "the URL asks for a database that is not there", None),
    ("select is not allowed in cluster mode", "a cluster has only database 0", None),
    ("cluster support disabled", "it is not a node of a cluster; write `redis://`", None),
    ("max number of clients reached", "it has `maxclients` connections already; raise that number", None),
    ("command not allowed when used memory", "its used memory is above `maxmemory`", Some("OOM")),
    ("hash slot not served", "no node serves the slot", None),
    ("cluster is down", "the cluster is down", None),
    ("unsupported protocol version", "it does not speak this version of the protocol", None),
    ("no password is set", "it has no password; leave out the one in the URL", None),
    ("without any password configured", "it has no password; leave out the one in the URL", None),
    ("invalid username-password pair", "the user or the password is wrong", None),
    ("invalid password", "the user or the password is wrong", None),
    ("refused to authenticate", "it does not confirm the password", None),
    ("unknown redis command", "it does not know a command of a script", None),
    ("command is not allowed from script", "it does not allow a command of a script", None),
    ("wrong kind of value", "the key holds another type of value", None),
    ("no upstream host", "the proxy has no server", None),
    ("upstream failure", "the proxy cannot reach its server", None),
    ("error compiling script", "it cannot compile a script", None),
    ("attempt to perform arithmetic", "a script failed on its arguments", None),
    ("attempt to compare", "a script failed on its arguments", None),
];

/// What an administrator can do about an error with a code.
pub(crate) const ADVICE: [(&str, &str); 3] = [
    ("OOM", "give it more memory, or let it forget keys that have a TTL (`maxmemory-policy volatile-ttl`)"),
    ("NOPERM", "`lua/README.md` lists the permissions that its user needs"),
    ("LOADING", "it will be ready when it has read its data"),
];

/// The commands that this library sends, and those that its scripts call.
#[rustfmt::skip]
pub(crate) const COMMANDS: [&str; 36] = [
    "asking", "auth", "client", "client|setinfo", "cluster", "cluster|slots", "eval", "evalsha", "hdel", "hello", "hget",
    "hgetall", "hset", "ping", "select", "sentinel", "sentinel|get-master-addr-by-name",
    "del", "get", "incrby", "lindex", "llen", "lrem", "ltrim", "pexpire", "pttl", "rpush", "set", "time",
    "zadd", "zcount", "zrange", "zrangebyscore", "zrem", "zremrangebyscore", "zscore",
];
