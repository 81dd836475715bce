//! A store on SQLite. All processes of one machine share its limits, which survive restarts.
//!
//! Each call is one transaction that writes, so SQLite decides one call after another, whichever process makes it. The units
//! in use are rows of a table. The module `rows` defines each algorithm by these rows.
//!
//! # Limits of this store
//!
//! - One machine: SQLite needs reliable locks on a file, which network file systems do not have.
//! - Some thousand decisions per second, of all processes together. The example measures the rate: `cargo run --release -p
//!   ratelimit-sqlite-example --example sqlite`.
//! - A decision blocks its thread, usually for less than 0.1 ms. While another process writes, it blocks for at most
//!   [`BUSY`].
//! - A crash of a process loses nothing. A power failure may lose the charges of the last seconds, so that their units are
//!   admitted again.
//! - The store uses the system time. If somebody sets the clock back, limits last longer by the same time.
//! - No sliding windows, no refill by interval, no calls that wait for a turn, no pauses and no blocks. Such a limit is an
//!   error.
//! - All rows of a limit are written at each charge, so a sliding log or a concurrency limit should have a `count` of at
//!   most some hundreds.

mod rows;
mod table;

use ratelimit::clock::Clock;
use ratelimit::store::{
    Adjusted, Adjustment, Change, Decisions, Mode, Overridden, Reply, Request, Store, StoreKey, stacks,
};
use ratelimit::{Algorithm, Decision, Error, ErrorKind, Limit};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest time that a call waits for another process that writes.
pub const BUSY: Duration = Duration::from_millis(100);

/// The system time. All processes share it, and it advances while no process runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// Stores the state of limits in a file.
#[derive(Debug)]
pub struct SqliteStore<C = WallClock> {
    connection: Mutex<Connection>,
    clock: C,
}

impl SqliteStore {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or is not a database.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_clock(path, WallClock)
    }
}

impl<C: Clock> SqliteStore<C> {
    /// Opens a file with another clock. All processes must use the same clock.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or is not a database.
    pub fn with_clock(path: impl AsRef<Path>, clock: C) -> Result<Self, Error> {
        let connection = table::open(path.as_ref()).map_err(error)?;
        Ok(Self { connection: Mutex::new(connection), clock })
    }

    /// Runs a transaction. It holds the lock for writing from its start, so that nothing changes between its reads and its
    /// writes.
    fn transaction<T>(
        &self,
        run: impl FnOnce(&Transaction<'_>, Now) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(error)?;
        // The time is read under the lock, so it does not go back between two transactions.
        let micros = i64::try_from(self.clock.now().as_micros()).unwrap_or(i64::MAX);
        let done = run(&transaction, Now { ms: micros / 1000, us: micros }).map_err(error)?;
        transaction.commit().map_err(error)?;
        Ok(done)
    }

    fn decide_now(&self, mode: Mode, requests: &[&Request]) -> Result<Decisions, Error> {
        let stacks: Vec<&[&Request]> = stacks(requests)?.collect();
        requests.iter().try_for_each(|request| supported(request.limit()))?;
        self.transaction(|transaction, now| {
            let mut decisions = Vec::new();
            for stack in stacks {
                decisions.extend(decide_stack(transaction, now, mode, stack)?);
            }
            Ok(decisions.into_iter().collect())
        })
    }

    fn adjust_now(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        adjustments.iter().try_for_each(|adjustment| supported(adjustment.limit()))?;
        adjustments.iter().try_for_each(|adjustment| known(adjustment.change()))?;
        self.transaction(|transaction, now| {
            adjustments.iter().map(|adjustment| adjust(transaction, now, adjustment)).collect()
        })
    }
}

/// The time of a decision, since 1970.
#[derive(Clone, Copy, Debug)]
struct Now {
    ms: i64,
    us: i64,
}

/// Returns whether the store supports a limit.
pub fn supports(limit: &Limit) -> bool {
    use Algorithm::{Concurrency, Counter, LeakyBucket, SlidingLog, TokenBucket};
    let known = matches!(limit.algorithm(), Counter | TokenBucket | LeakyBucket | SlidingLog | Concurrency);
    let is_plain = limit.longest_wait().is_zero() && limit.blocks().next().is_none();
    known && is_plain && !limit.refills_by_interval()
}

fn supported(limit: &Limit) -> Result<(), Error> {
    if supports(limit) {
        return Ok(());
    }
    let message = "the SQLite store has no sliding windows, no refill by interval, no `wait` and no `block`; use another \
                   limit or store";
    Err(Error::new(ErrorKind::Configuration, message))
}

fn known(change: Change) -> Result<(), Error> {
    if matches!(change, Change::Give(_) | Change::Take | Change::Used | Change::Renew(_)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Configuration, "the SQLite store does not block callers"))
}

/// The stamp of a charge is this times the generation of its key, plus a time in ms. So units from before a reset are not
/// returned to the units from after it.
const GENERATION: u64 = 1 << 47;

/// Whether the stamps of a limit have a generation. The charges of logs and permits have rows of their own, which a reset
/// deletes.
fn has_generation(limit: &Limit) -> bool {
    !matches!(limit.algorithm(), Algorithm::SlidingLog | Algorithm::Concurrency)
}

/// Judges all requests of a stack, and charges them if all pass.
fn decide_stack(
    transaction: &Transaction<'_>,
    now: Now,
    mode: Mode,
    stack: &[&Request],
) -> Result<Vec<Decision>, rusqlite::Error> {
    let mut members = Vec::new();
    for request in stack {
        let rows = table::load(transaction, request.key(), request.limit(), now)?;
        let judged = rows.judge(request.cost(), request.keep());
        members.push((request, rows, judged));
    }
    let charges = mode != Mode::Peek && members.iter().all(|(.., judged)| judged.passes());
    let mut decisions = Vec::new();
    for (request, mut rows, mut judged) in members {
        if charges && request.cost() > 0 {
            let stamp = rows.charge(request.cost(), request.permit());
            table::save(transaction, request.key(), &rows)?;
            let stamp = if has_generation(request.limit()) {
                stamp + table::generation(transaction, request.key(), now)? * GENERATION
            } else {
                stamp
            };
            judged = rows.after_charge(if mode == Mode::Charge { stamp } else { 0 });
        }
        decisions.push(judged.decision(request.limit()));
    }
    Ok(decisions)
}

fn adjust(transaction: &Transaction<'_>, now: Now, adjustment: &Adjustment) -> Result<u32, rusqlite::Error> {
    let mut rows = table::load(transaction, adjustment.key(), adjustment.limit(), now)?;
    let units = match adjustment.change() {
        Change::Give(stamp) if has_generation(adjustment.limit()) => {
            if table::generation(transaction, adjustment.key(), now)? != stamp / GENERATION {
                return Ok(0);
            }
            rows.give(adjustment.units(), stamp % GENERATION)
        }
        Change::Give(stamp) => rows.give(adjustment.units(), stamp),
        Change::Take => rows.take(adjustment.units()),
        Change::Renew(id) => rows.renew(id),
        Change::Used => return Ok(rows.units_in_use()),
        _ => 0,
    };
    if units > 0 {
        table::save(transaction, adjustment.key(), &rows)?;
    }
    Ok(units)
}

/// Converts an error. A transient error is `Unavailable`, so that the failure policy applies.
#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn error(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, OperationInterrupted, SystemIoFailure,
    };
    let code = error.sqlite_error_code();
    let transient =
        [CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, OperationInterrupted, SystemIoFailure];
    let is_transient = code.is_some_and(|code| transient.contains(&code));
    let kind = if is_transient { ErrorKind::Unavailable } else { ErrorKind::Configuration };
    // The message contains only the code, because the text of an error may contain values.
    let code = code.map_or_else(|| "an unexpected value".to_owned(), |code| format!("{code:?}"));
    Error::new(kind, format!("SQLite reports {code}"))
}

impl<C: Clock> Store for SqliteStore<C> {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        Reply::ready(self.decide_now(mode, requests))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(self.adjust_now(adjustments))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        Reply::ready(self.transaction(|transaction, now| table::delete(transaction, keys, now)))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        Reply::ready(self.transaction(|transaction, now| table::load_overrides(transaction, key, seen, now)))
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        Reply::ready(self.transaction(|transaction, now| {
            let left = expires.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
            let end = left.map(|left| now.ms.saturating_add(left));
            table::save_override(transaction, key, entry, change, end)
        }))
    }
}
