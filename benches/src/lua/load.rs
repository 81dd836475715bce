//! Puts load on the server, and measures the CPU time that the server needs for it.

use super::inputs::Inputs;
use super::subject::Subject;
use crate::cpu::{self, field};
use redis::{Cmd, Connection, RedisResult, cmd};
use std::error::Error;
use support::RedisServer;

const CONNECTIONS: usize = 16;
const PIPELINE: usize = 16;

/// The memory of one key, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    /// The growth of the server's memory, including the tables of keys and TTLs.
    pub(crate) total: f64,
    /// The memory that `MEMORY USAGE` reports.
    pub(crate) usage: f64,
}

pub(crate) struct Load {
    control: Connection,
    connections: Vec<Connection>,
    keys: u64,
    inputs: Inputs,
    /// The groups of subjects with the same keys, and the memory per key. Each group has its own database.
    spaces: Vec<(&'static str, Space)>,
}

impl Load {
    pub(crate) fn open(server: &RedisServer, keys: u64) -> RedisResult<Self> {
        let client = redis::Client::open(server.url())?;
        let connections = (0..CONNECTIONS).map(|_| client.get_connection()).collect::<RedisResult<_>>()?;
        Ok(Self { control: server.raw(), connections, keys, inputs: Inputs::new(keys), spaces: Vec::new() })
    }

    /// Loads the subject's script into the server.
    pub(crate) fn prepare(&mut self, subject: &Subject) -> RedisResult<()> {
        match &subject.script {
            Some(script) => script.prepare_invoke().load(&mut self.control).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Charges every key of the subject's space once, so that the measured calls find live keys. Skips a space that is
    /// already filled. Returns the memory per key.
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

    /// Runs at least `calls` calls. Returns the CPU time of the server per decision, in microseconds.
    pub(crate) fn cost(&mut self, subject: &Subject, calls: usize) -> Result<f64, Box<dyn Error>> {
        self.select(subject.space)?;
        let before = self.cpu()?;
        let calls = self.calls(subject, calls)?;
        let seconds = self.cpu()? - before;
        Ok(seconds * 1e6 / precise((calls * subject.decisions).try_into()?))
    }

    /// Returns a description of the server and the load.
    pub(crate) fn description(&mut self) -> Result<String, Box<dyn Error>> {
        let server = cpu::server_name(&mut self.control)?;
        Ok(format!("{server}, pipelines of {PIPELINE} calls on {CONNECTIONS} connections"))
    }

    /// Runs at least `calls` calls, in full pipelines on all connections. Returns the number of calls.
    fn calls(&mut self, subject: &Subject, calls: usize) -> Result<usize, Box<dyn Error>> {
        let sweep = CONNECTIONS * PIPELINE;
        let sweeps = calls.div_ceil(sweep);
        for _ in 0..sweeps {
            for connection in &mut self.connections {
                let mut packed = Vec::new();
                for _ in 0..PIPELINE {
                    subject.call(&mut self.inputs).write_packed_command(&mut packed);
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

    /// Returns the CPU time in seconds of the server's main thread, which runs all scripts. An older server reports only the
    /// CPU time of all its threads.
    fn cpu(&mut self) -> Result<f64, Box<dyn Error>> {
        let info: String = cmd("INFO").arg("cpu").query(&mut self.control)?;
        let cpu = |suffix: &str| {
            let user = field(&info, &format!("used_cpu_user{suffix}"))?.parse::<f64>().ok()?;
            let system = field(&info, &format!("used_cpu_sys{suffix}"))?.parse::<f64>().ok()?;
            Some(user + system)
        };
        cpu("_main_thread").or_else(|| cpu("")).ok_or_else(|| "INFO contains no CPU time".into())
    }

    fn info(&mut self, section: &str, name: &str) -> Result<f64, Box<dyn Error>> {
        let info: String = cmd("INFO").arg(section).query(&mut self.control)?;
        Ok(field(&info, name).ok_or("INFO lacks a field")?.parse()?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
/// Returns the count as a floating point number.
fn precise(count: u64) -> f64 {
    count as f64
}
