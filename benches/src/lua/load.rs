//! Puts load on the server, and asks it what that has cost.

use super::draw::Draw;
use super::subject::Subject;
use crate::cpu::{self, field};
use redis::{Cmd, Connection, RedisResult, cmd};
use std::error::Error;
use support::RedisServer;

const CONNECTIONS: usize = 16;
const PIPELINE: usize = 16;

/// What the keys of a space take, in bytes each.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    /// Of the server's memory: the tables of keys and TTLs included.
    pub(crate) total: f64,
    /// What `MEMORY USAGE` says.
    pub(crate) usage: f64,
}

pub(crate) struct Load {
    control: Connection,
    connections: Vec<Connection>,
    keys: u64,
    draw: Draw,
    /// One database each.
    spaces: Vec<(&'static str, Space)>,
}

impl Load {
    pub(crate) fn open(server: &RedisServer, keys: u64) -> RedisResult<Self> {
        let client = redis::Client::open(server.url())?;
        let connections = (0..CONNECTIONS).map(|_| client.get_connection()).collect::<RedisResult<_>>()?;
        Ok(Self { control: server.raw(), connections, keys, draw: Draw::new(keys), spaces: Vec::new() })
    }

    /// The server gets the subject's script.
    pub(crate) fn prepare(&mut self, subject: &Subject) -> RedisResult<()> {
        match &subject.script {
            Some(script) => script.prepare_invoke().load(&mut self.control).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Charges every key of the subject's space once, unless that was done: what is measured later finds live keys.
    pub(crate) fn fill(&mut self, subject: &Subject) -> Result<Space, Box<dyn Error>> {
        if let Some((_, space)) = self.spaces.iter().find(|(name, _)| *name == subject.space) {
            return Ok(*space);
        }
        self.spaces.push((subject.space, Space { total: 0.0, usage: 0.0 }));
        self.select(subject.space)?;
        let before = self.info("memory", "used_memory")?;
        let calls = usize::try_from(self.keys)?.div_ceil(subject.decisions);
        self.calls(subject, calls)?;
        let total = (self.info("memory", "used_memory")? - before).max(0.0) / precise(self.keys);
        let key: Option<String> = cmd("RANDOMKEY").query(&mut self.control)?;
        let usage: u32 = match key {
            Some(key) => cmd("MEMORY").arg("USAGE").arg(key).query(&mut self.control)?,
            None => 0,
        };
        let space = Space { total, usage: usage.into() };
        if let Some(last) = self.spaces.last_mut() {
            last.1 = space;
        }
        Ok(space)
    }

    /// Microseconds of the server's CPU per decision.
    pub(crate) fn cost(&mut self, subject: &Subject, calls: usize) -> Result<f64, Box<dyn Error>> {
        self.select(subject.space)?;
        let before = self.cpu()?;
        let calls = self.calls(subject, calls)?;
        let seconds = self.cpu()? - before;
        Ok(seconds * 1e6 / precise((calls * subject.decisions).try_into()?))
    }

    /// The server and the load, in words.
    pub(crate) fn description(&mut self) -> Result<String, Box<dyn Error>> {
        let server = cpu::server_name(&mut self.control)?;
        Ok(format!("{server}, pipelines of {PIPELINE} calls on {CONNECTIONS} connections"))
    }

    /// All connections are kept busy, in whole pipelines, so that there may be a few calls more than asked for.
    fn calls(&mut self, subject: &Subject, calls: usize) -> Result<usize, Box<dyn Error>> {
        let sweep = CONNECTIONS * PIPELINE;
        let sweeps = calls.div_ceil(sweep);
        for _ in 0..sweeps {
            for connection in &mut self.connections {
                let mut packed = Vec::new();
                for _ in 0..PIPELINE {
                    subject.call(&mut self.draw).write_packed_command(&mut packed);
                }
                connection.send_packed_command(&packed)?;
            }
            for connection in &mut self.connections {
                for _ in 0..PIPELINE {
                    let reply = connection.recv_response()?;
                    if !(subject.passed)(&reply) {
                        return Err(format!("{}: {reply:?}", subject.name).into());
                    }
                }
            }
        }
        Ok(sweeps * sweep)
    }

    fn select(&mut self, space: &str) -> RedisResult<()> {
        let database = self.spaces.iter().position(|(name, _)| *name == space);
        let mut select: Cmd = cmd("SELECT");
        select.arg(database.unwrap_or_default());
        self.connections
            .iter_mut()
            .chain([&mut self.control])
            .try_for_each(|connection| select.exec(connection))
    }

    /// Seconds that the server has computed. Its other threads do nothing that a decision asks for.
    fn cpu(&mut self) -> Result<f64, Box<dyn Error>> {
        let info: String = cmd("INFO").arg("cpu").query(&mut self.control)?;
        let of = |suffix: &str| {
            let user = field(&info, &format!("used_cpu_user{suffix}"))?.parse::<f64>().ok()?;
            let system = field(&info, &format!("used_cpu_sys{suffix}"))?.parse::<f64>().ok()?;
            Some(user + system)
        };
        of("_main_thread").or_else(|| of("")).ok_or_else(|| "INFO says no CPU time".into())
    }

    fn info(&mut self, section: &str, name: &str) -> Result<f64, Box<dyn Error>> {
        let info: String = cmd("INFO").arg(section).query(&mut self.control)?;
        Ok(field(&info, name).ok_or("INFO lacks a field")?.parse()?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn precise(count: u64) -> f64 {
    count as f64
}
