//! rate-limiter-flexible, a common limiter for Node, in a separate process. Needs Node on this machine.

use super::{COUNT, SECONDS};
use crate::shared::load::{Load, Measured, Round, Running};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const PACKAGES: [&str; 2] = ["rate-limiter-flexible@11.4", "ioredis@6.0"];

pub(super) struct Flexible {
    /// The process, which ends when this value is dropped.
    _child: Child,
    rounds: ChildStdin,
    results: Lines<BufReader<ChildStdout>>,
}

impl Flexible {
    pub(super) async fn start(url: &str) -> Result<Self, String> {
        let folder = install().await?;
        let program = folder.join("flexible.mjs");
        fs::write(&program, include_str!("flexible.mjs")).map_err(|error| error.to_string())?;
        let mut node = Command::new("node");
        node.arg(program).args([url, &COUNT.to_string(), &SECONDS.to_string()]).kill_on_drop(true);
        let mut child =
            node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
        let (rounds, results) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipes to node")?;
        Ok(Self { _child: child, rounds, results: BufReader::new(results).lines() })
    }

    async fn ask(&mut self, load: Load) -> Result<Round, String> {
        let round = format!("{} {} {}\n", load.callers, load.keys, load.time.as_millis());
        self.rounds.write_all(round.as_bytes()).await.map_err(|error| error.to_string())?;
        let result = self.results.next_line().await.map_err(|error| error.to_string())?.unwrap_or_default();
        let figures: Result<Vec<f64>, _> = result.split_whitespace().map(str::parse).collect();
        let Ok(&[decisions, seconds, cpu_seconds, median_us, slow_us]) = figures.as_deref() else {
            return Err(format!("node printed `{result}`, expected five numbers"));
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        Ok(Round { decisions: decisions as u64, seconds, cpu_seconds, median_us, slow_us })
    }
}

impl Measured for Flexible {
    fn round(&mut self, load: Load) -> Running<'_> {
        Box::pin(self.ask(load))
    }
}

/// Installs the packages once, next to this program.
async fn install() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = program.parent().unwrap_or_else(|| Path::new(".")).join("flexible");
    if PACKAGES.iter().all(|package| is_installed(&folder, package)) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(PACKAGES);
    match npm.stdout(Stdio::null()).status().await {
        Ok(status) if status.success() => Ok(folder),
        Ok(status) => Err(format!("npm failed: {status}")),
        Err(error) => Err(format!("cannot start npm: {error}")),
    }
}

fn is_installed(folder: &Path, package: &str) -> bool {
    let name = package.split('@').next().unwrap_or_default();
    folder.join("node_modules").join(name).join("package.json").is_file()
}
