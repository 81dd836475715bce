//! Subjects take turns under a load, and a table comes of it.

use super::crowd::{Crowd, Load, Round};
use crate::cpu;
use crate::report::{Row, Table};
use crate::{Effort, report};
use redis::Connection;
use std::error::Error;
use std::time::Duration;

/// The columns of all tables of this part.
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

pub(crate) struct Subject {
    pub(crate) name: &'static str,
    is_ours: bool,
    crowd: Box<dyn Crowd>,
    /// For how long it is asked before each round, so that a round does not begin with nothing.
    warming: Duration,
    /// How long its background work goes on after a round.
    rest: Duration,
}

impl Subject {
    pub(crate) fn ours(name: &'static str, crowd: impl Crowd + 'static) -> Self {
        Self { is_ours: true, ..Self::other(name, crowd) }
    }

    pub(crate) fn other(name: &'static str, crowd: impl Crowd + 'static) -> Self {
        Self { name, is_ours: false, crowd: Box::new(crowd), warming: Duration::ZERO, rest: Duration::ZERO }
    }

    /// What is done before and after each round, and not counted.
    pub(crate) fn between(self, warming: Duration, rest: Duration) -> Self {
        Self { warming, rest, ..self }
    }

    /// One round; again, where a call fails: the clients of others have timeouts that a busy machine exceeds. What they
    /// cannot finish three times is left out.
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
        if !self.warming.is_zero() {
            self.crowd.round(Load { time: self.warming, ..load }).await?;
        }
        let before = cpu::servers(servers)?;
        let Round { decisions, seconds, cpu_seconds, median_us, slow_us } = self.crowd.round(load).await?;
        let theirs = cpu::servers(servers)? - before;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let decisions = decisions as f64;
        tokio::time::sleep(self.rest).await;
        let cpu = (cpu_seconds + theirs) * 1e6 / decisions;
        Ok([decisions / seconds, cpu, theirs * 1e6 / decisions, median_us, slow_us])
    }
}

/// All subjects under one load: first a short round that is not counted, for scripts, connections and keys to be there.
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
