//! Reads all keys in turn, each twice within about a second, and publishes a snapshot once per second. Only the keys of the last
//! second are stored, so the memory use does not depend on the number of keys.

use super::Top;
use super::health::{Health, Watcher};
use super::hot::{Hot, HotKey};
use super::names::{NameRow, Names};
use super::rate::Reading;
use crate::exit::Failure;
use crate::limits::Limits;
use crate::output::identity;
use crate::scan::Scanner;
use crate::session::{Servers, Session};
use crate::usage::Usage;
use ratelimit::store::{StoreKey, StoredKey};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time between two snapshots, and between the two readings of a key. A pass takes at least this time.
const TICK: Duration = Duration::from_secs(1);
/// The time until the first snapshot, in which the first keys are read twice.
const FIRST: Duration = Duration::from_millis(1100);

/// The numbers of one second.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) servers: Vec<String>,
    pub(crate) prefix: String,
    pub(crate) health: Health,
    pub(crate) names: Vec<NameRow>,
    pub(crate) keys: Vec<HotKey>,
    /// The number of keys, complete after the first pass.
    pub(crate) number_of_keys: u64,
    /// The number of complete passes, and the time of the last one.
    pub(crate) passes: u64,
    pub(crate) last_pass: Option<Duration>,
    /// The nodes of a cluster that cannot be reached. Their keys are not shown.
    pub(crate) missing: Vec<String>,
    /// The error of the last reading, if it failed. The numbers are then old.
    pub(crate) error: Option<String>,
}

impl Snapshot {
    /// What the reader has to know about the numbers: the error, or the missing nodes.
    pub(crate) fn trouble(&self) -> Option<String> {
        let missing = || (!self.missing.is_empty()).then(|| self.missing.join("; "));
        self.error.clone().or_else(missing)
    }
}

/// Keys with their first readings.
struct ReadPage {
    keys: Vec<(StoredKey, Vec<u8>)>,
    readings: Vec<Option<Reading>>,
    at: Instant,
    is_last: bool,
}

pub(crate) struct Sampler<'s> {
    session: &'s Session,
    options: &'s Top,
    servers: Servers,
    scanner: Scanner,
    limits: Limits,
    watcher: Watcher,
    /// Pages whose keys are read again, the oldest first.
    again: VecDeque<ReadPage>,
    names: Names,
    hot: Hot,
    passes: u64,
    pass_began: Instant,
    last_pass: Option<Duration>,
    /// The duration of the last scan of all keys. Some of its keys may still wait for their second reading.
    scanned_in: Duration,
    /// The earliest start of the next pass.
    resume: Instant,
}

impl<'s> Sampler<'s> {
    pub(crate) async fn new(session: &'s Session, options: &'s Top) -> Result<Self, Failure> {
        let limits = Limits::load(&options.given.limits, session).await?;
        let watcher = Watcher::new(session.servers.reachable.clone());
        Ok(Self {
            session,
            options,
            servers: session.servers.clone(),
            scanner: Scanner::new(session, options.keys_per_second),
            limits,
            watcher,
            again: VecDeque::new(),
            names: Names::default(),
            hot: Hot::default(),
            passes: 0,
            pass_began: Instant::now(),
            last_pass: None,
            scanned_in: Duration::ZERO,
            resume: Instant::now(),
        })
    }

    /// Publishes snapshots until the future is dropped.
    ///
    /// # Errors
    ///
    /// If the first snapshot fails. Later errors are part of the snapshots.
    pub(crate) async fn run<T>(mut self, publish: &watch::Sender<Snapshot>) -> Result<T, Failure> {
        self.step().await?;
        self.tick().await?;
        let mut next = Instant::now() + FIRST;
        let mut error: Option<String> = None;
        loop {
            if Instant::now() >= next {
                next = (next + TICK).max(Instant::now());
                if error.is_none() {
                    error = self.tick().await.err().map(|failure| failure.to_string());
                }
                self.publish(error.clone(), publish);
            }
            let now = Instant::now();
            let again = self.again.front().filter(|_| error.is_none()).map(|page| page.at + TICK);
            let wake = again.unwrap_or(self.resume).min(self.resume).min(next);
            if again.is_some_and(|at| at <= now) {
                error = self.read_again().await.err().map(|failure| failure.to_string());
                continue;
            }
            if self.resume > now {
                tokio::time::sleep_until(wake.into()).await;
                continue;
            }
            let read = if error.is_some() { self.look_for_servers().await } else { self.step().await };
            error = read.err().map(|failure| failure.to_string());
            if error.is_some() {
                self.resume = Instant::now() + TICK;
            }
        }
    }

    /// Begins a new pass, because the set of servers may have changed.
    async fn look_for_servers(&mut self) -> Result<(), Failure> {
        self.servers = Servers::of(&self.session.store).await?;
        self.again.clear();
        self.hot.retain(|bytes| self.servers.missing(&StoreKey::new(bytes)).is_none());
        self.scanner.restart(self.servers.reachable.clone());
        self.watcher.replace(&self.servers.reachable);
        Ok(())
    }

    /// Reads one page of keys for the first time.
    async fn step(&mut self) -> Result<(), Failure> {
        let page = self.scanner.next().await?;
        let readings = Reading::all(self.session, &self.limits, &page.keys).await?;
        let at = Instant::now();
        if page.is_last {
            self.scanned_in = self.pass_began.elapsed();
            self.resume = self.pass_began + TICK;
            self.pass_began = self.resume.max(at);
        }
        self.again.push_back(ReadPage { keys: page.keys, readings, at, is_last: page.is_last });
        Ok(())
    }

    /// Reads the oldest page for the second time.
    async fn read_again(&mut self) -> Result<(), Failure> {
        let Some(page) = self.again.pop_front() else { return Ok(()) };
        let again = Reading::all(self.session, &self.limits, &page.keys).await?;
        let readings = page.readings.into_iter().zip(again);
        for ((key, bytes), (before, reading)) in page.keys.into_iter().zip(readings) {
            let (Some(before), Some(reading)) = (before, reading) else { continue };
            let rate = key.algorithm().and_then(|algorithm| reading.rate_since(&before, algorithm));
            self.names.add(&key, &reading.usage, rate);
            if reading.usage != Usage::UNKNOWN {
                let who = identity(&self.session.limiter, &key, self.options.identities);
                self.hot.offer(HotKey { key, bytes, who, reading, rate });
            }
        }
        if page.is_last {
            self.passes += 1;
            self.last_pass = Some(self.scanned_in);
            self.names.end_pass();
        }
        Ok(())
    }

    /// Reads the hot keys, the overrides and the health of the servers.
    async fn tick(&mut self) -> Result<(), Failure> {
        if !self.servers.missing.is_empty()
            && Servers::of(&self.session.store).await?.missing.len() != self.servers.missing.len()
        {
            self.look_for_servers().await?;
        }
        match Limits::load(&self.options.given.limits, self.session).await {
            // The node of the overrides is missing.
            Err(failure) if failure.is_transient() && !self.servers.missing.is_empty() => {}
            loaded => self.limits = loaded?,
        }
        self.hot.read(self.session, &self.limits).await?;
        self.watcher.ask().await
    }

    fn publish(&self, error: Option<String>, publish: &watch::Sender<Snapshot>) {
        publish.send_replace(Snapshot {
            servers: self.servers.reachable.iter().map(ToString::to_string).collect(),
            missing: self.servers.missing.iter().map(ToString::to_string).collect(),
            prefix: self.session.prefix.clone(),
            health: self.watcher.health().clone(),
            names: self.names.rows(),
            keys: self.hot.sorted(),
            number_of_keys: self.names.keys(),
            passes: self.passes,
            last_pass: self.last_pass,
            error,
        });
    }
}
