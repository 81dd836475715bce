//! Servers that run scripts but refuse their writes.

use super::waiting::PATIENCE;
use redis::Connection;
use std::time::Instant;
use support::RedisServer;

/// The reason why a server refuses to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusing {
    /// `OOM`.
    NoMemory,
    /// `NOREPLICAS`. Redis before version 7 does not refuse the writes of scripts for this reason.
    TooFewReplicas,
    /// `MISCONF`.
    FailedSave,
    /// `READONLY`.
    Replica,
}

impl Refusing {
    pub(crate) const ALL: [Self; 4] = [Self::NoMemory, Self::TooFewReplicas, Self::FailedSave, Self::Replica];

    /// The reasons for which a server that stays a primary refuses to write.
    pub(crate) const OF_PRIMARY: [Self; 3] = [Self::NoMemory, Self::TooFewReplicas, Self::FailedSave];

    /// Makes the server refuse to write. Returns whether this version refuses for this reason.
    pub(crate) fn begin(self, server: &RedisServer) -> bool {
        let raw = &mut server.raw();
        match self {
            Self::NoMemory => set(raw, "maxmemory", "1"),
            Self::TooFewReplicas => set(raw, "min-replicas-to-write", "1"),
            Self::FailedSave => fail_to_save(raw),
            Self::Replica => replicate(raw, "127.0.0.1", "1"),
        }
        let write = "return redis.call('SET', KEYS[1], 1, 'PX', 1)";
        let refuses = redis::cmd("EVAL").arg(write).arg(1).arg("written").exec(raw).is_err();
        assert!(refuses || self == Self::TooFewReplicas, "{self:?}");
        refuses
    }

    pub(crate) fn end(self, server: &RedisServer) {
        let raw = &mut server.raw();
        match self {
            Self::NoMemory => set(raw, "maxmemory", "0"),
            Self::TooFewReplicas => set(raw, "min-replicas-to-write", "0"),
            Self::FailedSave => set(raw, "stop-writes-on-bgsave-error", "no"),
            Self::Replica => replicate(raw, "NO", "ONE"),
        }
    }
}

fn set(raw: &mut Connection, name: &str, value: &str) {
    redis::cmd("CONFIG").arg("SET").arg(name).arg(value).exec(raw).unwrap();
}

fn replicate(raw: &mut Connection, host: &str, port: &str) {
    redis::cmd("REPLICAOF").arg(host).arg(port).exec(raw).unwrap();
}

/// Puts a directory in the place of the file that the server saves its data to.
fn fail_to_save(raw: &mut Connection) {
    let mut get = |name: &str| {
        let (_, value): (String, String) = redis::cmd("CONFIG").arg("GET").arg(name).query(raw).unwrap();
        value
    };
    let file = std::path::Path::new(&get("dir")).join(get("dbfilename"));
    std::fs::create_dir_all(file.join("full")).unwrap();
    set(raw, "save", "3600 1000000");
    set(raw, "stop-writes-on-bgsave-error", "yes");
    let start = Instant::now();
    loop {
        let info: String = redis::cmd("INFO").arg("persistence").query(raw).unwrap();
        if info.contains("rdb_last_bgsave_status:err") {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the save does not fail: {info}");
        if info.contains("rdb_bgsave_in_progress:0") {
            redis::cmd("BGSAVE").exec(raw).unwrap();
        }
    }
}
