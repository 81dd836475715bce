//! The server's end of a connection, and the network between a process and a server with its faults.

use super::reply::{Words, take_command};
use super::{Client, Server, Trouble, may_change};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until};

/// The number of bytes that a connection buffers in each direction, like a socket.
pub(crate) const BUFFER: usize = 1 << 16;

/// The alert of TLS about an expired certificate.
const EXPIRED: &[u8] = &[21, 3, 3, 0, 2, 2, 45];

/// The fault of a command that a process sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkFault {
    /// The command is executed, and the connection breaks before the reply.
    LoseReply,
    /// The connection breaks before the command is executed.
    Reset,
    /// The connection breaks in the middle of the reply.
    HalfReply,
    /// The reply arrives in pieces.
    SlowReply,
}

/// The network between one process and one server.
pub(crate) struct Link(Mutex<LinkState>);

pub(crate) struct LinkState {
    random: fastrand::Rng,
    /// The faults to come, in order. The number beside a fault is the number of commands without a fault before it.
    pub(crate) faults: VecDeque<(u8, LinkFault)>,
    /// The times of the faults that have happened.
    pub(crate) fired: Vec<Instant>,
    /// The time until which no data passes. Afterwards all delayed data arrives, because TCP sends it again.
    pub(crate) silent_until: Instant,
    /// Whether the process was killed and therefore has no network.
    pub(crate) is_cut: bool,
    /// Whether many messages are slow.
    is_slow: bool,
    is_quiet: bool,
    pub(crate) connections: Vec<AbortHandle>,
    /// The number of connections so far. Connections with numbers below `lost` are black holes.
    opened: u64,
    lost: u64,
}

impl Link {
    pub(crate) fn new(seed: u64, is_slow: bool) -> Self {
        Self(Mutex::new(LinkState {
            random: fastrand::Rng::with_seed(seed),
            faults: VecDeque::new(),
            fired: Vec::new(),
            silent_until: Instant::now(),
            is_cut: false,
            is_slow,
            is_quiet: false,
            connections: Vec::new(),
            opened: 0,
            lost: 0,
        }))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, LinkState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the fault of the next command, and removes it from the faults to come. `None` if that command has no fault.
    fn next_fault(&self) -> Option<LinkFault> {
        let mut state = self.state();
        let (after, fault) = state.faults.front_mut()?;
        if *after > 0 {
            *after -= 1;
            return None;
        }
        let fault = *fault;
        state.faults.pop_front();
        state.fired.push(Instant::now());
        Some(fault)
    }

    fn next_number(&self) -> u64 {
        let mut state = self.state();
        state.opened += 1;
        state.opened - 1
    }

    fn is_black_hole(&self, number: u64) -> bool {
        number < self.state().lost
    }

    /// Makes all open connections black holes.
    pub(crate) fn lose_connections(&self) {
        let mut state = self.state();
        state.lost = state.opened;
    }

    /// Delivers all messages fast from now on, or no longer.
    pub(crate) fn set_quiet(&self, is_quiet: bool) {
        self.state().is_quiet = is_quiet;
    }

    pub(crate) fn heal(&self) {
        let mut state = self.state();
        state.faults.clear();
        state.silent_until = Instant::now();
        state.is_quiet = true;
    }

    /// Closes all connections, and refuses new ones from now on.
    pub(crate) fn cut(&self) {
        let mut state = self.state();
        state.is_cut = true;
        state.connections.drain(..).for_each(|connection| connection.abort());
    }

    /// The delay of a message: 50 to 550 us. During the run, one of a hundred messages takes up to 4 ms. On a slow network, one
    /// of four takes up to 30 ms.
    fn delay(&self) -> Duration {
        let mut state = self.state();
        let (share, longest) = if state.is_slow { (25, 30_000) } else { (1, 4000) };
        let is_late = state.random.u8(..100) < share && !state.is_quiet;
        Duration::from_micros(50 + state.random.u64(..if is_late { longest } else { 500 }))
    }

    async fn pass(&self) {
        sleep(self.delay()).await;
        loop {
            let until = self.state().silent_until;
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// Serves a connection until it breaks or the process closes it.
pub(crate) async fn serve(
    server: Arc<Server>,
    (links, at): (Arc<[Link]>, usize),
    host: String,
    mut stream: DuplexStream,
) {
    let link = &links[at];
    let mut client = Client { host, is_asking: false, has_password: false };
    let is_refused = server.trouble() == Some(Trouble::Certificate);
    let number = link.next_number();
    // The buffer is large, so that a large command arrives in one piece.
    let mut input = Vec::with_capacity(BUFFER);
    while let Ok(1..) = stream.read_buf(&mut input).await {
        input.reserve(BUFFER);
        link.pass().await;
        if link.is_black_hole(number) {
            input.clear();
            continue;
        }
        if is_refused {
            let _ = stream.write_all(EXPIRED).await;
            return;
        }
        let mut output = Vec::new();
        while let Some(command) = take_command(&mut input) {
            if execute(&server, link, &mut client, &command, &mut stream, &mut output).await.is_err() {
                return;
            }
        }
        link.pass().await;
        if link.is_black_hole(number) {
            continue;
        }
        if stream.write_all(&output).await.is_err() {
            return;
        }
    }
}

/// Executes one command. An error ends the connection.
async fn execute(
    server: &Server,
    link: &Link,
    client: &mut Client,
    command: &Words,
    stream: &mut DuplexStream,
    output: &mut Vec<u8>,
) -> io::Result<()> {
    let broken = || Err(io::ErrorKind::ConnectionReset.into());
    loop {
        let until = server.state().stalled_until;
        if until <= Instant::now() {
            break;
        }
        sleep_until(until).await;
    }
    let fault = if may_change(command) { link.next_fault() } else { None };
    if fault == Some(LinkFault::Reset) {
        return broken();
    }
    let start = output.len();
    server.execute(client, command).write(output);
    match fault {
        Some(LinkFault::LoseReply) => broken(),
        Some(LinkFault::HalfReply) => {
            output.truncate(usize::midpoint(start, output.len()));
            stream.write_all(output).await?;
            broken()
        }
        Some(LinkFault::SlowReply) => {
            for piece in output.chunks(3) {
                stream.write_all(piece).await?;
                sleep(Duration::from_millis(2)).await;
            }
            output.clear();
            Ok(())
        }
        _ => Ok(()),
    }
}
