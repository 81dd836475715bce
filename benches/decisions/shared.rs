//! Decisions through a private Redis, beside one EVALSHA per call of the same script by the same client: how many per
//! second, what each costs client and server, and how long one takes.

use crate::plain::Plain;
use crate::table::Row;
use ratelimit::{Key, Limit, OnError, RateLimiter};
use redis::InfoDict;
use std::error::Error;
use std::time::{Duration, Instant};
use support::RedisServer;

const ROUND: Duration = Duration::from_millis(200);
/// So large that nothing is refused, and in lowest terms.
const COUNTER: Limit = Limit::counter(4_000_000_007, Duration::from_secs(1000));
const BUCKET: Limit = Limit::token_bucket(29_999_999, Duration::from_secs(1));

/// Callers and keys.
const LOADS: [(usize, u64); 4] = [(1, 10_000), (64, 10_000), (512, 10_000), (1024, 1)];

const SUBJECTS: [(&str, Way, Limit); 6] = [
    ("EVALSHA by hand, counter", Way::Hand, COUNTER),
    ("one EVALSHA per call, counter", Way::Plain, COUNTER),
    ("counter", Way::Ours, COUNTER),
    ("EVALSHA by hand, token bucket", Way::Hand, BUCKET),
    ("one EVALSHA per call, token bucket", Way::Plain, BUCKET),
    ("token bucket", Way::Ours, BUCKET),
];

#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// For one caller.
    Hand,
    Plain,
    Ours,
}

#[derive(Clone)]
struct Client {
    plain: Plain,
    limiter: RateLimiter,
}

impl Client {
    async fn call(&mut self, way: Way, limit: &Limit, key: u64) -> Result<(), String> {
        match way {
            Way::Hand => self.plain.decide_by_hand(limit, key).await,
            Way::Plain => self.plain.decide(limit, key).await,
            Way::Ours => {
                let decision = self.limiter.check(limit, Key::new("bench").by(key)).await;
                decision.map(|_| ()).map_err(|error| error.to_string())
            }
        }
    }
}

/// What one subject has shown in a round, and then in all of them.
#[derive(Default)]
struct Figures {
    per_second: Vec<f64>,
    client_us: Vec<f64>,
    server_us: Vec<f64>,
    median_us: Vec<f64>,
}

pub(crate) fn run(rounds: usize) -> Result<(), Box<dyn Error>> {
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(&server, rounds))
}

async fn measure(server: &RedisServer, rounds: usize) -> Result<(), Box<dyn Error>> {
    let limiter =
        RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(10)).on_error(OnError::Deny);
    let client = Client { plain: Plain::open(&server.url()).await?, limiter: limiter.build().await? };
    println!("\nDecisions through Redis on this machine, one connection, {rounds} rounds in turn");
    for (callers, keys) in LOADS {
        let mut found: [Figures; 6] = Default::default();
        let asks = |way: Way| way != Way::Hand || callers == 1;
        for _ in 0..rounds {
            for ((_, way, limit), figures) in
                SUBJECTS.iter().zip(&mut found).filter(|((_, way, _), _)| asks(*way))
            {
                round(&client, server, (*way, limit), (callers, keys), figures).await?;
            }
        }
        let title = format!("{callers} callers, {keys} keys");
        println!(
            "\n  {title:<36} {:>10} {:>18} {:>24} {:>10}",
            "per second", "(spread)", "CPU us: client+server", "median us"
        );
        for ((name, ..), figures) in SUBJECTS.iter().zip(found).filter(|((_, way, _), _)| asks(*way)) {
            print(name, figures);
        }
    }
    Ok(())
}

fn print(name: &str, figures: Figures) {
    let row = |figures| Row { subject: String::new(), figures };
    let (rate, client, server) = (row(figures.per_second), row(figures.client_us), row(figures.server_us));
    let spread = format!("({:.0}-{:.0})", rate.spread().0, rate.spread().1);
    let (client, server) = (client.median(), server.median());
    let cpu = format!("{client:.2} + {server:.2} = {:.2}", client + server);
    println!(
        "  {name:<36} {:>10.0} {spread:>18} {cpu:>24} {:>10.1}",
        rate.median(),
        row(figures.median_us).median()
    );
}

/// One round of so many callers on so many keys.
async fn round(
    client: &Client,
    server: &RedisServer,
    (way, limit): (Way, &'static Limit),
    (callers, keys): (usize, u64),
    figures: &mut Figures,
) -> Result<(), Box<dyn Error>> {
    let (own, theirs, start) = (own_cpu()?, server_cpu(server)?, Instant::now());
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let mut client = client.clone();
            tokio::spawn(async move {
                let (mut calls, mut times, mut asked) = (0_u64, Vec::new(), start);
                // One look at the clock per call: it costs a twentieth of a decision.
                while asked - start < ROUND {
                    let n = caller as u64 * 1_000_003 + calls;
                    client.call(way, limit, n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % keys).await?;
                    calls += 1;
                    let answered = Instant::now();
                    times.push(answered - asked);
                    asked = answered;
                }
                Ok::<_, String>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let (seconds, calls) = (start.elapsed().as_secs_f64(), f64::from(u32::try_from(times.len())?));
    figures.per_second.push(calls / seconds);
    figures.client_us.push((own_cpu()? - own) * 1e6 / calls);
    figures.server_us.push((server_cpu(server)? - theirs) * 1e6 / calls);
    times.sort_unstable();
    figures.median_us.push(times[times.len() / 2].as_secs_f64() * 1e6);
    Ok(())
}

/// Seconds that this process has computed, to a hundredth; `NaN` where there is no `/proc`.
fn own_cpu() -> Result<f64, Box<dyn Error>> {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return Ok(f64::NAN) };
    // The name of the program may hold anything, and ends with the last parenthesis.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: Vec<f64> =
        after.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

fn server_cpu(server: &RedisServer) -> Result<f64, Box<dyn Error>> {
    let info: InfoDict = redis::cmd("INFO").arg("cpu").query(&mut server.raw())?;
    let field = |name: &str| info.get::<f64>(name).ok_or("INFO says no CPU time");
    Ok(field("used_cpu_user")? + field("used_cpu_sys")?)
}
