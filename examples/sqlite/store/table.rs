//! The tables: the units in use, the keys that were reset, and the overrides.

use crate::rows::{Row, Rows};
use crate::{BUSY, Now};
use ratelimit::Limit;
use ratelimit::store::{Overridden, StoreKey};
use rusqlite::{Connection, Error, OptionalExtension, Transaction, params};
use std::path::Path;
use std::time::Duration;

/// The keys are bytes, so SQLite compares them byte by byte. Expired rows are deleted at the next charge of any key.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS units (
        key BLOB NOT NULL, id INTEGER NOT NULL, units INTEGER NOT NULL, at INTEGER NOT NULL, expires INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS units_by_key ON units (key);
    CREATE INDEX IF NOT EXISTS units_by_expiry ON units (expires);
    CREATE TABLE IF NOT EXISTS resets (
        key BLOB PRIMARY KEY, generation INTEGER NOT NULL, expires INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS overrides (
        key BLOB NOT NULL, entry BLOB NOT NULL, change TEXT NOT NULL, expires INTEGER, PRIMARY KEY (key, entry)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS versions (key BLOB PRIMARY KEY, version INTEGER NOT NULL) STRICT;
";

/// The number of generations that can be told apart. A stamp, which is below 2^53, has room for it beside a time in ms.
const GENERATIONS: i64 = 62;

pub(crate) fn open(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    // Readers do not block writers, and a commit does not wait for the disk.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

pub(crate) fn load(
    transaction: &Transaction<'_>,
    key: &StoreKey,
    limit: &Limit,
    now: Now,
) -> Result<Rows, Error> {
    let mut select =
        transaction.prepare_cached("SELECT id, units, at FROM units WHERE key = ? ORDER BY at, rowid")?;
    let row = |row: &rusqlite::Row<'_>| Ok(Row { id: row.get(0)?, units: row.get(1)?, at: row.get(2)? });
    let rows = select.query_map([key.as_bytes()], row)?.collect::<Result<_, _>>()?;
    Ok(Rows::new(*limit, now, rows))
}

pub(crate) fn save(transaction: &Transaction<'_>, key: &StoreKey, rows: &Rows) -> Result<(), Error> {
    let now = rows.now_ms();
    transaction.prepare_cached("DELETE FROM units WHERE key = ?")?.execute([key.as_bytes()])?;
    let mut insert = transaction
        .prepare_cached("INSERT INTO units (key, id, units, at, expires) VALUES (?, ?, ?, ?, ?)")?;
    for Row { id, units, at } in rows.rows() {
        insert.execute(params![key.as_bytes(), id, units, at, rows.expires()])?;
    }
    transaction.prepare_cached("DELETE FROM units WHERE expires <= ?")?.execute([now])?;
    // A generation is known as long as one of its charges can be returned.
    transaction
        .prepare_cached("UPDATE resets SET expires = max(expires, ?) WHERE key = ?")?
        .execute(params![rows.expires(), key.as_bytes()])?;
    transaction.prepare_cached("DELETE FROM resets WHERE expires <= ?")?.execute([now])?;
    Ok(())
}

/// Returns how often a key was reset while its charges could be returned.
pub(crate) fn generation(transaction: &Transaction<'_>, key: &StoreKey, now: Now) -> Result<u64, Error> {
    transaction
        .prepare_cached("SELECT generation FROM resets WHERE key = ? AND expires > ?")?
        .query_row(params![key.as_bytes(), now.ms], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// Deletes the rows of keys, and begins the next generation of each key that had rows. Returns how many of the keys had rows.
pub(crate) fn delete(transaction: &Transaction<'_>, keys: &[StoreKey], now: Now) -> Result<u64, Error> {
    let mut delete = transaction.prepare_cached("DELETE FROM units WHERE key = ? RETURNING expires")?;
    let mut begin = transaction.prepare_cached(
        "INSERT INTO resets VALUES (?1, 1, ?2 + 1000)
         ON CONFLICT DO UPDATE SET generation = generation % ?3 + 1, expires = max(expires, ?2 + 1000)",
    )?;
    let mut existed = 0;
    for key in keys {
        let ends: Vec<i64> =
            delete.query_map([key.as_bytes()], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if let Some(end) = ends.into_iter().max().filter(|end| *end > now.ms) {
            begin.execute(params![key.as_bytes(), end, GENERATIONS])?;
            existed += 1;
        }
    }
    Ok(existed)
}

pub(crate) fn load_overrides(
    transaction: &Transaction<'_>,
    key: &StoreKey,
    seen: u64,
    now: Now,
) -> Result<Option<Overridden>, Error> {
    let mut select = transaction.prepare_cached("SELECT version FROM versions WHERE key = ?")?;
    let version: Option<i64> = select.query_row([key.as_bytes()], |row| row.get(0)).optional()?;
    let version = version.and_then(|version| u64::try_from(version).ok()).unwrap_or(0);
    if version == seen {
        return Ok(None);
    }
    transaction.prepare_cached("DELETE FROM overrides WHERE expires <= ?")?.execute([now.ms])?;
    let left = "SELECT entry, change, expires - ? FROM overrides WHERE key = ?";
    let mut select = transaction.prepare_cached(left)?;
    let entries = select.query_map(params![now.ms, key.as_bytes()], |row| {
        let left: Option<i64> = row.get(2)?;
        let left = left.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
        Ok((row.get(0)?, row.get(1)?, left))
    })?;
    let entries = entries.collect::<Result<_, _>>()?;
    Ok(Some(Overridden { version, entries }))
}

pub(crate) fn save_override(
    transaction: &Transaction<'_>,
    key: &StoreKey,
    entry: &[u8],
    change: Option<&str>,
    expires: Option<i64>,
) -> Result<(), Error> {
    match change {
        Some(change) => transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO overrides (key, entry, change, expires) VALUES (?, ?, ?, ?)",
            )?
            .execute(params![key.as_bytes(), entry, change, expires])?,
        None => transaction
            .prepare_cached("DELETE FROM overrides WHERE key = ? AND entry = ?")?
            .execute(params![key.as_bytes(), entry])?,
    };
    let count =
        "INSERT INTO versions (key, version) VALUES (?, 1) ON CONFLICT DO UPDATE SET version = version + 1";
    transaction.prepare_cached(count)?.execute([key.as_bytes()])?;
    Ok(())
}
