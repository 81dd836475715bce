//! Creates a store from a URL, or from a connection that the application has opened.

use super::RedisStore;
use super::client::Client;
#[cfg(feature = "redis-1")]
use super::connect::Connector;
use super::connect::{AddressMap, Target};
use super::script::single;
use super::topology::Topology;
use crate::clock::timer;
use crate::error::Error;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Awaited, Mode, Request, Store};
use ratelimit_lua::{ADJUST, DECIDE, SINGLE};
use std::sync::Arc;
use std::time::Duration;

/// The maximum time for the check of the server when a limiter is built.
const VERIFY_TIMEOUT: Duration = Duration::from_secs(5);

impl RedisStore {
    /// Creates a store that connects when it is first used. A [`RateLimiter`](crate::RateLimiter) that is built with
    /// [`connect`](crate::RateLimiterBuilder::connect) connects at once, and reports errors of the server.
    ///
    /// | `url` | servers |
    /// |---|---|
    /// | `redis://[user:password@]host[:port][/database]` | one server |
    /// | `redis+unix:///path/to/socket[?db=n&user=..&pass=..]` | one server on this machine |
    /// | `redis+sentinel://[user:password@]host[:port],host[:port]/name[/database]` | sentinels, and the name of the primary that they monitor; `?sentinel_user=..&sentinel_pass=..` if the sentinels require a password too |
    /// | `redis+cluster://[user:password@]host[:port],host[:port]` | some of the nodes of a cluster |
    ///
    /// `valkey` and `valkeys` are the same as `redis` and `rediss`, and `unix://` is the same as `redis+unix://`.
    ///
    /// With `rediss` in place of `redis`, connections are encrypted. This needs the feature `tls`. The server's certificate is
    /// checked against the authorities of the system, or against the authorities in the PEM file `?tls_ca=/path`. `tls_cert`
    /// and `tls_key` name the certificate and the key of this client. `?protocol=resp3` selects version 3 of the protocol.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the URL cannot be read. The message never
    /// contains the password.
    pub fn new(url: &str) -> Result<Self, Error> {
        Self::mapped(url, None)
    }

    /// Creates a store like [`new`](Self::new). `map` says where announced servers are reached.
    pub(crate) fn mapped(url: &str, map: Option<&AddressMap>) -> Result<Self, Error> {
        let topology = Topology::new(Target::parse(url)?.with_map(map));
        Ok(Self { client: Arc::new(Client::new(topology, "", [DECIDE, ADJUST], Some(SINGLE))) })
    }

    /// Creates a store on an existing connection of the crate redis 1: a multiplexed connection, a connection manager, or a
    /// cluster connection.
    ///
    /// The server is not checked. The store does not reconnect; only the connection itself may do so. After the connection has
    /// broken, the store tries the same connection again every 0.1 to 0.75 seconds. Some connections, such as the cluster
    /// connection of redis-rs, repeat a command whose reply was lost. A call may then be counted more than once, so use a URL
    /// for clusters.
    #[cfg(feature = "redis-1")]
    pub fn from_connection<C>(connection: C) -> Self
    where
        C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static,
    {
        let topology = Topology::new(Target::Server(Connector::given(connection)));
        Self { client: Arc::new(Client::new(topology, "", [DECIDE, ADJUST], Some(SINGLE))) }
    }

    /// Creates a store with other scripts: `decide` and `adjust`, and the scripts of single requests. The text of each script
    /// begins with `prelude`.
    pub(crate) fn of_scripts(
        url: &str,
        prelude: &str,
        scripts: [&str; 2],
        single: Option<single::Texts<'_>>,
    ) -> Result<Self, Error> {
        let topology = Topology::new(Target::parse(url)?);
        Ok(Self { client: Arc::new(Client::new(topology, prelude, scripts, single)) })
    }

    /// Connects, makes one decision, and deletes its state. If this succeeds, the server accepts the password and permits the
    /// script. As a side effect, the script is then in the server's cache. In a cluster, one node that decides is sufficient.
    pub(crate) async fn verify(&self, prefix: &str) -> Result<(), Error> {
        const VERIFICATION: Limit = Limit::counter(1, Duration::from_millis(1));
        timer::runtime()?;
        // No identity is written as just `#`, so no limit has this key.
        let key = format!("{prefix}:{{#}}:verification:{}", VERIFICATION.state_format());
        let key = StoreKey::new(key.as_bytes());
        let verify = async |key: StoreKey| {
            let verifying = async {
                let _ = self.decide(Mode::Check, &[&Request::new(key.clone(), VERIFICATION, 1)]).await?;
                let delete = redis::cmd("DEL").arg(key.as_bytes()).to_owned();
                self.client.command(&key, &delete, &Awaited::default()).await.map(drop)
            };
            let verified = timer::timeout(VERIFY_TIMEOUT, verifying).await?;
            verified.unwrap_or_else(|| Err(self.client.endpoint().no_reply(VERIFY_TIMEOUT)))
        };
        let verified = verify(key.clone()).await;
        // While a node of a cluster is missing, the other nodes decide, and each of them finds the same mistakes.
        if verified.as_ref().is_err_and(Error::is_transient) {
            for key in self.keys_of_nodes(&key) {
                let other = verify(key).await;
                if !other.as_ref().is_err_and(Error::is_transient) {
                    return other;
                }
            }
        }
        verified
    }
}
