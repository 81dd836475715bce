//! The subjects of the parts `redis` and `cluster`, and the measurement of a table.

use super::load::{Load, Measured, Round};
use crate::cpu;
use crate::report::{Row, Table};
use crate::{Effort, report};
use redis::Connection;
use std::error::Error;
use std::time::Duration;

/// The columns of all tables.
pub(crate) const COLUMNS: [&str; 5] = [
    "decisions per second",
    "CPU per decision, µs",
    "the server's share, µs",
    "median time, µs",
    "99 % are faster than, µs",
];
pub(crate) const PER_SECOND: usize = 0;
pub(crate) const CPU: usize = 1;
pub(crate) const MEDIAN: usize = 3;

/// A client that is measured.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    is_ours: bool,
    client: Box<dyn Measured>,
    /// The time that the subject runs before each round without being measured.
    warm_up: Duration,
    /// The pause after each round, until the subject's background work has ended.
    rest: Duration,
}

impl Subject {
    pub(crate) fn ours(name: &'static str, client: impl Measured + 'static) -> Self {
        Self { is_ours: true, ..Self::other(name, client) }
    }

    pub(crate) fn other(name: &'static str, client: impl Measured + 'static) -> Self {
        Self { name, is_ours: false, client: Box::new(client), warm_up: Duration::ZERO, rest: Duration::ZERO }
    }

    /// Sets the warm-up before each round and the pause after it.
    pub(crate) fn with_pauses(self, warm_up: Duration, rest: Duration) -> Self {
        Self { warm_up, rest, ..self }
    }

    /// Measures one round. Other clients have three attempts, because they have timeouts that a busy machine can exceed. If
    /// all attempts fail, the round has no figures.
    async fn measure(&mut self, load: Load, servers: &mut [Connection]) -> Result<[f64; 5], Box<dyn Error>> {
        for _ in 0..3 {
            match self.attempt(load, servers).await {
                Ok(figures) => return Ok(figures),
                Err(error) if self.is_ours => return Err(format!("{}: {error}", self.name).into()),
                Err(error) => eprintln!("{}: {error}", self.name),
            }
        }
        Ok([f64::NAN; 5])
    }

    async fn attempt(&mut self, load: Load, servers: &mut [Connection]) -> Result<[f64; 5], Box<dyn Error>> {
        if !self.warm_up.is_zero() {
            self.client.round(Load { time: self.warm_up, ..load }).await?;
        }
        let before = cpu::servers(servers)?;
        let Round { decisions, seconds, cpu_seconds, median_us, slow_us } = self.client.round(load).await?;
        let server_seconds = cpu::servers(servers)? - before;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let decisions = decisions as f64;
        tokio::time::sleep(self.rest).await;
        let cpu = (cpu_seconds + server_seconds) * 1e6 / decisions;
        Ok([decisions / seconds, cpu, server_seconds * 1e6 / decisions, median_us, slow_us])
    }
}

/// Measures all subjects under one load. A first, shorter round is not counted; it loads scripts, opens connections and
/// creates keys.
pub(crate) async fn table(
    title: &str,
    (callers, keys): (u64, u64),
    mut subjects: Vec<Subject>,
    servers: &mut [Connection],
    effort: &Effort,
) -> Result<Table, Box<dyn Error>> {
    eprintln!("{title}");
    let mut table = report::Table::new(title, &COLUMNS);
    let load = Load { callers, keys, time: effort.round };
    for subject in &mut subjects {
        table.rows.push(Row::new(subject.name, subject.is_ours, COLUMNS.len()));
        subject.measure(Load { time: effort.round / 2, ..load }, servers).await?;
    }
    for _ in 0..effort.rounds {
        for (subject, row) in subjects.iter_mut().zip(&mut table.rows) {
            row.push(&subject.measure(load, servers).await?);
        }
    }
    Ok(table)
}
