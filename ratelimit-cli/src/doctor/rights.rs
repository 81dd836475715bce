//! Checks the permissions: does the same as services do, under a separate prefix.

use super::finding::Findings;
use crate::exit::Failure;
use crate::session::{Session, builder};
use ratelimit::overrides::LimitChange;
use ratelimit::store::{Store as _, StoreKey};
use ratelimit::{Algorithm, Error, Key, Limit, RateLimiter, Rejection};
use std::time::Duration;

/// The `time` of the limits of the check.
const TIME: Duration = Duration::from_secs(1);

pub(super) async fn check(session: &Session, findings: &mut Findings) -> Result<(), Failure> {
    // These keys begin with the prefix, so a user with permissions for the prefix may use them.
    let prefix = format!("{}:doctor-{:08x}", session.prefix, fastrand::u32(..));
    let limiter = builder(&session.store, &prefix).connect().await.map_err(Failure::usage)?;
    let mut missing = Vec::new();
    for algorithm in Algorithm::ALL {
        note(try_limit(&limiter, algorithm, session).await, &mut missing)?;
    }
    let decided = missing.is_empty();
    let has_overrides = session.missing_overrides().is_none();
    if has_overrides {
        note(try_overrides(&limiter).await, &mut missing)?;
    }
    limiter.close().await;
    if has_overrides {
        // The key of the overrides has no TTL, so it must be deleted.
        let overrides = StoreKey::new(format!("{prefix}:{{#}}:overrides").as_bytes());
        note(session.store.reset(&[overrides]).await, &mut missing)?;
        note(session.limiter.overrides().list().await, &mut missing)?;
    }
    missing.dedup();
    if missing.is_empty() {
        let overrides = if has_overrides { " and overrides" } else { "" };
        findings.good("permissions", format!("decisions of all algorithms{overrides} work"));
    }
    for error in missing {
        let what = if decided { "overrides do not work" } else { "some decisions or overrides do not work" };
        let advice = if error.contains("NOPERM") {
            "give the user the permissions that `lua/README.md` lists"
        } else {
            "a service or a proxy may refuse a command; `docs/servers.md` lists what each one needs"
        };
        findings.problem("permissions", format!("{what}: {error}"), advice);
    }
    Ok(())
}

/// Notes an error that an operator must repair. A transient error ends the check.
fn note<T>(tried: Result<T, Error>, missing: &mut Vec<String>) -> Result<(), Failure> {
    match tried {
        Err(error) if error.is_transient() => return Err(error.into()),
        Err(error) => missing.push(error.to_string()),
        Ok(_) => {}
    }
    Ok(())
}

/// Charges, returns and deletes units of a limit, so that the scripts run all their commands.
async fn try_limit(limiter: &RateLimiter, algorithm: Algorithm, session: &Session) -> Result<(), Error> {
    let limit: Limit = format!("{} count=2 time=1s", algorithm.as_str())
        .parse()
        .map_err(|_| Error::new(ratelimit::ErrorKind::Limit, "the limit of the check is wrong"))?;
    let of = |number: u32| Key::new("doctor").by((algorithm.as_str(), number));
    let is_reachable = |number: &u32| {
        limiter.store_key(of(*number), algorithm).is_ok_and(|key| session.servers.missing(&key).is_none())
    };
    let number = (0..1000).find(is_reachable).unwrap_or_default();
    let key = || of(number);
    if algorithm.is_concurrency() {
        let permit = limiter.permit(&limit, key()).await;
        drop(permit.map_err(undecided)?);
        return limiter.reset(&limit, key()).await.map(drop);
    }
    let charge = limiter.charge(&limit, key(), 1).await.map_err(undecided)?;
    charge.refund().await?;
    for _ in 0..3 {
        match limiter.check(&limit, key()).await {
            Ok(_) | Err(Rejection::Limited(_)) => {}
            Err(rejection) => return Err(undecided(rejection)),
        }
    }
    limiter.reset(&limit, key()).await?;
    // The reset has left an empty state.
    let key = limiter.store_key(key(), algorithm)?;
    let Ok(server) = session.server_of(&key) else { return Ok(()) };
    server.send(redis::cmd("DEL").arg(key.as_bytes())).await.map(drop)
}

async fn try_overrides(limiter: &RateLimiter) -> Result<(), Error> {
    limiter.overrides().set("doctor", LimitChange::new().time(TIME)).await?;
    limiter.overrides().list().await?;
    limiter.overrides().remove("doctor").await
}

fn undecided(rejection: Rejection) -> Error {
    match rejection {
        Rejection::Unavailable(unavailable) => unavailable.error().clone(),
        other => Error::new(ratelimit::ErrorKind::Configuration, other.to_string()),
    }
}
