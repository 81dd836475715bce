//! The replacement of the Redis store in WebAssembly, which has no sockets. No value of this type exists there, and limits are
//! stored in memory.

use super::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use crate::error::{Error, ErrorKind};
use std::convert::Infallible;
use std::sync::Arc;

pub(crate) type AddressMap = Arc<dyn Fn(&str, u16) -> (String, u16) + Send + Sync>;

/// A store in Redis, which WebAssembly cannot reach.
#[derive(Clone, Debug)]
pub struct RedisStore(Infallible);

/// A server of a [`RedisStore`], which WebAssembly cannot reach.
#[derive(Debug)]
pub struct RedisServer(Infallible);

impl RedisStore {
    /// # Errors
    ///
    /// Always returns an error, because WebAssembly has no sockets.
    pub fn new(_: &str) -> Result<Self, Error> {
        Err(Error::new(ErrorKind::Configuration, "WebAssembly has no sockets; keep the limits in memory"))
    }

    pub(crate) fn mapped(url: &str, _: Option<&AddressMap>) -> Result<Self, Error> {
        Self::new(url)
    }

    #[expect(clippy::unused_async, reason = "as the store with sockets")]
    pub(crate) async fn verify(&self, _: &str) -> Result<(), Error> {
        match self.0 {}
    }
}

impl Store for RedisStore {
    fn decide(&self, _: Mode, _: &[&Request]) -> Reply<Decisions> {
        match self.0 {}
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        match self.0 {}
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        match self.0 {}
    }
}
