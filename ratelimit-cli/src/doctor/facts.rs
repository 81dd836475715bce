//! Facts about a server: the reply to `INFO`.

use crate::exit::Failure;
use crate::session::{ask, text};
use ratelimit::store::RedisServer;
use std::collections::HashMap;

/// The fields of `INFO`.
#[derive(Debug, Default)]
pub(crate) struct Facts(HashMap<String, String>);

impl Facts {
    /// Asks a server for its facts. `None` if the user has no permission.
    pub(crate) async fn of(server: &RedisServer) -> Result<Option<Self>, Failure> {
        let reply = permitted(ask(server, redis::cmd("INFO").arg("all")).await)?;
        Ok(reply.map(|reply| Self::read(&text(&reply))))
    }

    pub(crate) fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(
            lines
                .filter_map(|line| line.split_once(':'))
                .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// A number in a part of a field, such as `usec` in `calls=5,usec=7`.
    pub(crate) fn part(&self, name: &str, part: &str) -> Option<f64> {
        let parts = self.get(name)?.split(',');
        parts.filter_map(|word| word.split_once('=')).find(|(name, _)| *name == part)?.1.parse().ok()
    }
}

/// `None` if the server does not say it, as many services do not.
pub(super) async fn setting(server: &RedisServer, name: &str) -> Option<String> {
    let reply = ask(server, redis::cmd("CONFIG").arg("GET").arg(name)).await.ok()?;
    let pairs: Vec<(String, String)> = redis::from_redis_value(reply).ok()?;
    pairs.into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
}

/// `None` if the user may not run the command.
pub(super) fn permitted<T>(ran: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match ran {
        Err(failure) if is_permission(&failure) => Ok(None),
        ran => ran.map(Some),
    }
}

/// Whether the server has refused a command because this user may not run it.
pub(crate) fn is_permission(failure: &Failure) -> bool {
    failure.to_string().contains("NOPERM")
}

#[cfg(test)]
mod tests {
    use super::Facts;

    #[test]
    fn fields_are_read() {
        let facts = Facts::read(
            "# Server\r\nredis_version:7.0.15\r\nused_memory:12\r\ncmdstat_evalsha:calls=5,usec=70,usec_per_call=14.00\r\n",
        );
        assert_eq!((facts.get("redis_version"), facts.number("used_memory")), (Some("7.0.15"), Some(12)));
        assert_eq!(facts.part("cmdstat_evalsha", "usec"), Some(70.0));
        assert_eq!((facts.get("other"), facts.number("redis_version")), (None, None));
    }
}
