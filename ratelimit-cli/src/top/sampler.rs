//! Reads all keys in turn, each twice within about a second, and publishes a snapshot once per second. Only the keys of the last
//! second are stored, so the memory use does not depend on the number of keys.

use super::Top;
use super::health::{Health, Watcher};
use super::hot::{Hot, HotKey};
use super::names::{NameRow, Names};
use super::rate::{Reading, rate};
use crate::exit::Failure;
use crate::limits::Limits;
use crate::output::identity;
use crate::scan::Scanner;
use crate::session::Session;
use crate::usage::{self, Usage};
use ratelimit::store::StoredKey;
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
    /// The error of the last reading, if it failed. The numbers are then old.
    pub(crate) error: Option<String>,
}

/// Keys with the usage of their first reading.
struct ReadPage {
    keys: Vec<(StoredKey, Vec<u8>)>,
    usages: Vec<Option<Usage>>,
    at: Instant,
    is_last: bool,
}

pub(crate) struct Sampler<'s> {
    session: &'s Session,
    options: &'s Top,
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
        let scanner = Scanner::new(session, options.keys_per_second).await?;
        let limits = Limits::load(&options.given.limits, session).await?;
        let watcher = Watcher::new(scanner.servers().to_vec());
        Ok(Self {
            session,
            options,
            scanner,
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
            let read = if error.is_some() { self.reconnect().await } else { self.step().await };
            error = read.err().map(|failure| failure.to_string());
            if error.is_some() {
                self.resume = Instant::now() + TICK;
            }
        }
    }

    /// Begins a new pass, because the set of servers may have changed.
    async fn reconnect(&mut self) -> Result<(), Failure> {
        self.again.clear();
        self.scanner = Scanner::new(self.session, self.options.keys_per_second).await?;
        self.watcher.replace(self.scanner.servers());
        Ok(())
    }

    /// Reads one page of keys for the first time.
    async fn step(&mut self) -> Result<(), Failure> {
        let page = self.scanner.next().await?;
        let usages = usage::read(self.session, &self.limits, &page.keys).await?;
        let at = Instant::now();
        if page.is_last {
            self.scanned_in = self.pass_began.elapsed();
            self.resume = self.pass_began + TICK;
            self.pass_began = self.resume.max(at);
        }
        self.again.push_back(ReadPage { keys: page.keys, usages, at, is_last: page.is_last });
        Ok(())
    }

    /// Reads the oldest page for the second time.
    async fn read_again(&mut self) -> Result<(), Failure> {
        let Some(page) = self.again.pop_front() else { return Ok(()) };
        let usages = usage::read(self.session, &self.limits, &page.keys).await?;
        let at = Instant::now();
        let readings = page.usages.into_iter().zip(usages);
        for ((key, bytes), (before, now)) in page.keys.into_iter().zip(readings) {
            let (Some(before), Some(now)) = (before, now) else { continue };
            let (before, reading) = (Reading { at: page.at, usage: before }, Reading { at, usage: now });
            let rate = key.algorithm().and_then(|algorithm| rate(algorithm, &before, &reading));
            self.names.add(&key, &now, rate);
            if now != Usage::UNKNOWN {
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
        self.limits = Limits::load(&self.options.given.limits, self.session).await?;
        self.hot.read(self.session, &self.limits).await?;
        self.watcher.ask().await
    }

    fn publish(&self, error: Option<String>, publish: &watch::Sender<Snapshot>) {
        publish.send_replace(Snapshot {
            servers: self.scanner.servers().iter().map(ToString::to_string).collect(),
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
