//! Reads all keys in turn, and publishes what is known once per second. The memory does not depend on the number of keys.

use super::health::{Health, Watcher};
use super::hot::{Hot, HotKey};
use super::names::{NameRow, Names};
use super::rate::{Reading, rate};
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::limits::{GivenLimit, Limits};
use crate::scan::Scanner;
use crate::server::Server;
use crate::usage::{self, Usage};
use ratelimit::store::{StoreKey, StoredKey};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time between two snapshots, and the shortest time of a pass.
const TICK: Duration = Duration::from_secs(1);
/// The most keys whose last reading is remembered, about 10 MB. Their rates stand for those of all keys.
const MOST: usize = 100_000;

pub(crate) struct Settings {
    pub(crate) keys_per_second: u32,
    pub(crate) in_clear: bool,
    pub(crate) given: Vec<GivenLimit>,
}

/// What is known now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) servers: Vec<String>,
    pub(crate) prefix: String,
    pub(crate) in_clear: bool,
    pub(crate) health: Health,
    pub(crate) names: Vec<NameRow>,
    pub(crate) keys: Vec<HotKey>,
    /// The number of keys, complete after the first pass.
    pub(crate) number_of_keys: u64,
    /// How much of the current pass is done.
    pub(crate) progress: Option<f64>,
    /// The number of complete passes, and the time of the last one.
    pub(crate) passes: u64,
    pub(crate) last_pass: Option<Duration>,
    /// Why the numbers are old.
    pub(crate) error: Option<String>,
}

pub(crate) struct Sampler<'s> {
    server: &'s Server,
    settings: Settings,
    scanner: Scanner,
    limits: Limits,
    watcher: Watcher,
    /// The last reading of keys, by the hash of the key.
    seen: HashMap<u64, (Reading, u64)>,
    names: Names,
    hot: Hot,
    passes: u64,
    pass_began: Instant,
    last_pass: Option<Duration>,
    /// When the next pass may begin.
    resume: Instant,
}

impl<'s> Sampler<'s> {
    pub(crate) async fn new(server: &'s Server, settings: Settings) -> Result<Self, Failure> {
        let scanner = Scanner::new(server, settings.keys_per_second).await?;
        let limits = Limits::load(&settings.given, server).await?;
        let watcher = Watcher::new(scanner.servers().to_vec());
        Ok(Self {
            server,
            settings,
            scanner,
            limits,
            watcher,
            seen: HashMap::new(),
            names: Names::default(),
            hot: Hot::default(),
            passes: 0,
            pass_began: Instant::now(),
            last_pass: None,
            resume: Instant::now(),
        })
    }

    /// Publishes snapshots until it is dropped.
    ///
    /// # Errors
    ///
    /// If the first snapshot fails. Later errors are part of the snapshots.
    pub(crate) async fn run<T>(
        mut self,
        publish: &watch::Sender<Snapshot>,
        interrupt: &Interrupt,
    ) -> Result<T, Failure> {
        self.step(interrupt).await?;
        self.tick().await?;
        let mut next = Instant::now() + TICK;
        let mut error: Option<String> = None;
        loop {
            if Instant::now() >= next {
                next = (next + TICK).max(Instant::now());
                if error.is_none() {
                    error = self.tick().await.err().map(|failure| failure.to_string());
                }
                self.publish(error.clone(), publish);
            }
            if self.resume > Instant::now() {
                tokio::time::sleep_until(self.resume.min(next).into()).await;
                continue;
            }
            let read = if error.is_some() { self.reconnect().await } else { self.step(interrupt).await };
            error = read.err().map(|failure| failure.to_string());
            if error.is_some() {
                self.resume = Instant::now() + TICK;
            }
        }
    }

    /// Begins a new walk, because other servers may decide now.
    async fn reconnect(&mut self) -> Result<(), Failure> {
        self.scanner = Scanner::new(self.server, self.settings.keys_per_second).await?;
        self.watcher.replace(self.scanner.servers());
        Ok(())
    }

    /// Reads one page of keys.
    async fn step(&mut self, interrupt: &Interrupt) -> Result<(), Failure> {
        let page = self.scanner.next(interrupt).await?;
        let usages = usage::read(self.server, &self.limits, &page.keys, self.is_cluster()).await?;
        let at = Instant::now();
        for ((key, bytes), usage) in page.keys.into_iter().zip(usages) {
            if let Some(usage) = usage {
                self.add(key, bytes, Reading { at, usage });
            }
        }
        if page.is_last {
            self.passes += 1;
            self.last_pass = Some(self.pass_began.elapsed());
            self.resume = self.pass_began + TICK;
            self.pass_began = self.resume.max(Instant::now());
            self.names.end_pass();
            let oldest = self.passes.saturating_sub(1);
            self.seen.retain(|_, (_, pass)| *pass >= oldest);
        }
        Ok(())
    }

    fn add(&mut self, key: StoredKey, bytes: Vec<u8>, reading: Reading) {
        let hash = StoreKey::new(&bytes).hash();
        let before = self.seen.get(&hash).map(|(before, _)| *before);
        if before.is_some() || self.seen.len() < MOST {
            self.seen.insert(hash, (reading, self.passes));
        }
        let rate =
            before.zip(key.algorithm()).and_then(|(before, algorithm)| rate(algorithm, &before, &reading));
        self.names.add(&key, &reading.usage, rate);
        if reading.usage != Usage::UNKNOWN {
            self.hot.offer(HotKey { key, bytes, reading, rate });
        }
    }

    /// Reads the hot keys, the overrides and the health of the servers.
    async fn tick(&mut self) -> Result<(), Failure> {
        self.limits = Limits::load(&self.settings.given, self.server).await?;
        let is_cluster = self.is_cluster();
        self.hot.read(self.server, &self.limits, is_cluster).await?;
        self.watcher.ask().await
    }

    fn publish(&self, error: Option<String>, publish: &watch::Sender<Snapshot>) {
        publish.send_replace(Snapshot {
            servers: self.scanner.servers().iter().map(ToString::to_string).collect(),
            prefix: self.server.prefix.clone(),
            in_clear: self.settings.in_clear,
            health: self.watcher.health().clone(),
            names: self.names.rows(),
            keys: self.hot.keys().to_vec(),
            number_of_keys: self.names.keys(),
            progress: self.scanner.progress(),
            passes: self.passes,
            last_pass: self.last_pass,
            error,
        });
    }

    fn is_cluster(&self) -> bool {
        self.scanner.servers().len() > 1
    }
}
