//! The times after which keys expire.

use crate::exit::Failure;
use crate::output::{duration, milliseconds};
use crate::session::ask_all;
use ratelimit::store::RedisServer;
use redis::Value;
use std::time::Duration;

/// The TTLs of keys of one server, in the order of the keys. `None` for a key that does not exist.
pub(crate) async fn ttls<'k>(
    server: &RedisServer,
    keys: impl Iterator<Item = &'k [u8]>,
) -> Result<Vec<Option<Ttl>>, Failure> {
    let mut commands = redis::pipe();
    for key in keys {
        commands.cmd("PTTL").arg(key);
    }
    let replies = ask_all(server, &commands).await?;
    replies.into_iter().map(|reply| Ok(Ttl::of(&reply?))).collect()
}

/// The time after which a key expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ttl {
    In(Duration),
    Never,
}

impl Ttl {
    fn of(reply: &Value) -> Option<Self> {
        match reply {
            Value::Int(-1) => Some(Self::Never),
            Value::Int(ms) => u64::try_from(*ms).ok().map(|ms| Self::In(Duration::from_millis(ms))),
            _ => None,
        }
    }

    /// The time in milliseconds. `None` if the key never expires.
    pub(crate) fn milliseconds(self) -> Option<u64> {
        match self {
            Self::In(ttl) => Some(milliseconds(ttl)),
            Self::Never => None,
        }
    }

    pub(crate) fn words(self) -> String {
        match self {
            Self::In(ttl) => format!("TTL {}", duration(ttl)),
            Self::Never => "never expires".to_owned(),
        }
    }
}
