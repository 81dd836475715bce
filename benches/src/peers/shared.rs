//! Other crates that decide through Redis.

use super::{COUNT, SECONDS};
use super::{flexible, limitador};
use crate::shared::load::Decider;
use crate::shared::ours::COUNTER;
use crate::shared::plain::Call;
use crate::shared::{ACTIX, CACHED, FLEXIBLE, LIMITADOR, Subject, THROTTLED, WARM_UP};
use deadpool_redis::{Config, Pool, Runtime};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use std::error::Error;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use throttled::{RateLimiter as _, RedisRateLimiter};

const POOL: &str = "counter by EVALSHA, deadpool";

/// Returns the subjects that call the server for each decision.
pub(crate) async fn through_redis(
    url: &str,
    server: &mut redis::Connection,
) -> Result<Vec<Subject>, Box<dyn Error>> {
    let pool = Config::from_url(url).create_pool(Some(Runtime::Tokio1))?;
    let call = Call::load(server, &COUNTER, "pool")?;
    let without_timeout = ConnectionManagerConfig::new().set_response_timeout(None);
    let manager = ConnectionManager::new_with_config(redis::Client::open(url)?, without_timeout).await?;
    let actix = actix_limitation::Limiter::builder(url)
        .limit(COUNT.try_into()?)
        .period(Duration::from_secs(SECONDS))
        .key_by(|_| None)
        .build()?;
    let mut subjects = vec![
        Subject::other(POOL, Pooled { pool, call }),
        Subject::other(LIMITADOR, limitador::Limitador::exact(url).await?),
        // After a round, the server has to close thousands of connections, so the subject pauses.
        Subject::other(ACTIX, Actix(actix)).with_pauses(Duration::ZERO, Duration::from_millis(100)),
        Subject::other(THROTTLED, Throttled(Arc::new(RedisRateLimiter::new(manager)))),
    ];
    match flexible::Flexible::start(url).await {
        Ok(flexible) => subjects.push(Subject::other(FLEXIBLE, flexible)),
        Err(error) => eprintln!("{FLEXIBLE} is not measured: {error}"),
    }
    Ok(subjects)
}

/// Returns the subject that decides from cached counts, and sends the counts to the server later. The pause after each
/// round gives it time to send all counts.
pub(crate) async fn cached(url: &str) -> Result<Vec<Subject>, Box<dyn Error>> {
    let limitador = limitador::Limitador::cached(url).await?;
    Ok(vec![Subject::other(CACHED, limitador).with_pauses(WARM_UP, Duration::from_millis(1100))])
}

/// Sends one EVALSHA per call, on a connection from a pool.
#[derive(Clone)]
struct Pooled {
    pool: Pool,
    call: Call,
}

impl Decider for Pooled {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        let mut connection = self.pool.get().await.map_err(|error| error.to_string())?;
        Call::check(self.call.command(key).query_async::<i64>(&mut connection).await)
    }
}

/// Opens a connection for each decision.
#[derive(Clone)]
struct Actix(actix_limitation::Limiter);

impl Decider for Actix {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        self.0.count(format!("actix:{key}")).await.map(|_| ()).map_err(|error| error.to_string())
    }
}

#[derive(Clone)]
struct Throttled(Arc<RedisRateLimiter>);

impl Decider for Throttled {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        // One call per microsecond is the highest rate that this crate supports.
        const MILLION: NonZeroU32 = NonZeroU32::new(1_000_000).unwrap();
        let quota = throttled::Quota::per_second(MILLION).with_burst(NonZeroU32::MAX);
        let result =
            self.0.check(format!("throttled:{key}"), quota).await.map_err(|error| error.to_string())?;
        if result.is_allowed() { Ok(()) } else { Err(format!("refused: {result:?}")) }
    }
}
