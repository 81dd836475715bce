//! limitador with two stores. The exact store reads in one call to Redis and counts in another call. The cached store
//! decides from counts in the process, and sends the counts to Redis once a second.

use super::{COUNT, SECONDS};
use crate::shared::load::Decider;
use limitador::AsyncRateLimiter;
use limitador::limit::{Limit, Namespace};
use limitador::storage::AsyncCounterStorage;
use limitador::storage::redis::{AsyncRedisStorage, CachedRedisStorage};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct Limitador {
    limiter: Arc<AsyncRateLimiter>,
    namespace: Namespace,
}

impl Limitador {
    pub(super) async fn exact(url: &str) -> Result<Self, Box<dyn Error>> {
        Self::on(Box::new(AsyncRedisStorage::new(url).await?), "exact")
    }

    pub(super) async fn cached(url: &str) -> Result<Self, Box<dyn Error>> {
        Self::on(Box::new(CachedRedisStorage::new(url).await?), "cached")
    }

    fn on(storage: Box<dyn AsyncCounterStorage>, namespace: &str) -> Result<Self, Box<dyn Error>> {
        let limiter = AsyncRateLimiter::new_with_storage(storage);
        limiter.add_limit(Limit::new(namespace, COUNT.into(), SECONDS, [], ["user".try_into()?]));
        Ok(Self { limiter: Arc::new(limiter), namespace: namespace.into() })
    }
}

impl Decider for Limitador {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        let context = HashMap::from([("user".to_owned(), key.to_string())]).into();
        let result = self.limiter.check_rate_limited_and_update(&self.namespace, &context, 1).await;
        match result {
            Ok(result) if result.limited => Err("refused".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}
