//! The part `http`: requests per second and the server's CPU time per request, under `wrk`, with our limits and with limits
//! of others.

mod actix;
mod axum;
mod server;
mod wrk;

use crate::report::{Better, Bound, Row, Table};
use crate::{Effort, Results};
use server::Server;
use std::error::Error;
use support::RedisServer;

pub(crate) use server::is_child;

/// The load of a comparison: whether its limit admits or refuses the requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// The limit refuses no request.
    Passed,
    /// Nearly every request is refused.
    Refused,
}

/// A server of the comparison.
struct Subject {
    name: &'static str,
    /// The argument of the child process.
    word: &'static str,
    loads: &'static [Load],
}

const BOTH: &[Load] = &[Load::Passed, Load::Refused];

const AXUM: [Subject; 6] = [
    Subject { name: "bare", word: "axum-bare", loads: &[Load::Passed] },
    Subject { name: "ours, memory", word: "axum-memory", loads: BOTH },
    Subject { name: "ours, memory, header fields", word: "axum-layer", loads: BOTH },
    Subject { name: "ours, Redis", word: "axum-redis", loads: BOTH },
    Subject { name: "tower_governor", word: "axum-governor", loads: BOTH },
    Subject { name: "tower_governor, header fields", word: "axum-governor-headers", loads: BOTH },
];

const ACTIX: [Subject; 7] = [
    Subject { name: "bare", word: "actix-bare", loads: &[Load::Passed] },
    Subject { name: "ours, memory", word: "actix-memory", loads: BOTH },
    Subject { name: "ours, memory, header fields", word: "actix-layer", loads: BOTH },
    Subject { name: "ours, Redis", word: "actix-redis", loads: BOTH },
    Subject { name: "actix-governor", word: "actix-governor", loads: BOTH },
    Subject { name: "actix-governor, header fields", word: "actix-governor-headers", loads: BOTH },
    Subject { name: "actix-limitation, Redis", word: "actix-limitation", loads: BOTH },
];

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let redis = RedisServer::start();
    let mut tables = Vec::new();
    for (framework, subjects, peer, with_fields) in [
        ("axum", &AXUM[..], "tower_governor", "tower_governor, header fields"),
        ("actix-web", &ACTIX[..], "actix-governor", "actix-governor, header fields"),
    ] {
        for (load, what) in
            [(Load::Passed, "every request passes"), (Load::Refused, "every request is refused")]
        {
            let mut table = measured(effort, subjects, load, &redis.url())?;
            table.title = format!("{framework}, {what}");
            table.goal("ours, memory", peer, CPU, Bound::AtMost(1.0));
            table.goal("ours, memory, header fields", with_fields, CPU, Bound::AtMost(1.0));
            table.goal("ours, Redis", "actix-limitation, Redis", CPU, Bound::AtMost(1.0));
            tables.push(table);
        }
    }
    Ok(Results {
        context: "One worker thread, 64 connections of `wrk` on the same machine, limits by address."
            .to_owned(),
        tables,
    })
}

/// The index of the column with the CPU time.
const CPU: usize = 0;

fn measured(effort: &Effort, subjects: &[Subject], load: Load, redis: &str) -> Result<Table, Box<dyn Error>> {
    let columns = ["CPU of the server per request, µs", "requests/s"];
    let mut table = Table::new("", &columns).draw(CPU, Better::Less);
    let subjects: Vec<&Subject> = subjects.iter().filter(|subject| subject.loads.contains(&load)).collect();
    let mut servers = Vec::new();
    for subject in &subjects {
        servers.push(Server::start(subject.word, load, redis)?);
        table.rows.push(Row::new(subject.name, subject.name.starts_with("ours"), columns.len()));
    }
    let seconds = if effort.quick { 1 } else { 3 };
    for _ in 0..effort.rounds {
        for (server, row) in servers.iter_mut().zip(&mut table.rows) {
            let before = server.cpu();
            let served = wrk::load(server.port, seconds)?;
            served.check(load)?;
            row.push(&[(server.cpu() - before) / served.requests * 1e6, served.per_second]);
        }
    }
    Ok(table)
}
