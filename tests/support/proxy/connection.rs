//! One connection through the proxy.

use super::Traffic;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// The state of a connection.
struct Passage {
    orders: watch::Receiver<Traffic>,
    /// The current behaviour. Only [`Passage::is_cut`] changes it, so that a loss always belongs to the current
    /// behaviour.
    traffic: Mutex<Traffic>,
    /// Whether a script was called on the connection.
    asked: AtomicBool,
    /// Whether data was lost on the connection.
    spoilt: AtomicBool,
    /// The number of losses on all connections.
    lost: Arc<AtomicUsize>,
}

/// The time at which data is due, and the data for the client.
type Parcel = (Instant, Vec<u8>);

/// Forwards data in both directions until one side closes the connection, or the proxy cuts it.
pub(super) async fn serve(
    mut client: TcpStream,
    port: u16,
    orders: watch::Receiver<Traffic>,
    lost: Arc<AtomicUsize>,
) {
    let traffic = Mutex::new(Traffic::Pass);
    let passage = Passage { orders, traffic, asked: false.into(), spoilt: false.into(), lost };
    let ended = carry(&mut client, port, &passage).await;
    if ended.is_err() {
        // With zero linger, the socket closes with a reset.
        let _ = client.set_zero_linger();
    }
}

async fn carry(client: &mut TcpStream, port: u16, passage: &Passage) -> io::Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let (parcels, delivered) = mpsc::unbounded_channel();
    tokio::select! {
        biased;
        // Orders of the test come first, because they apply to all later data.
        () = passage.is_cut() => Err(cut()),
        ended = passage.requests(from_client, to_server) => ended,
        ended = passage.replies(from_server, parcels) => ended,
        ended = passage.deliver(delivered, to_client) => ended,
    }
}

impl Passage {
    async fn requests(&self, mut from: ReadHalf<'_>, mut to: WriteHalf<'_>) -> io::Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let length = from.read(&mut buffer).await?;
            let bytes = &buffer[..length];
            if bytes.is_empty() {
                return Ok(());
            }
            if self.traffic() == Traffic::Swallow {
                self.spoil();
                continue;
            }
            if bytes.windows(4).any(|word| word == b"EVAL") {
                self.asked.store(true, Ordering::Relaxed);
            }
            self.write(&mut to, bytes).await?;
        }
    }

    async fn replies(
        &self,
        mut from: ReadHalf<'_>,
        parcels: mpsc::UnboundedSender<Parcel>,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let length = from.read(&mut buffer).await?;
            if length == 0 {
                // Undelivered data is lost, as when a server ends.
                return Ok(());
            }
            let asked = self.asked.load(Ordering::Relaxed);
            let mut due = Instant::now();
            match self.traffic() {
                Traffic::Swallow => {
                    self.spoil();
                    continue;
                }
                Traffic::LoseReplies if asked => {
                    self.spoil();
                    continue;
                }
                Traffic::CutReplies if asked => {
                    self.spoil();
                    return Err(cut());
                }
                Traffic::DelayReplies(delay) => due += delay,
                _ => {}
            }
            if parcels.send((due, buffer[..length].to_vec())).is_err() {
                return Ok(());
            }
        }
    }

    async fn deliver(
        &self,
        mut parcels: mpsc::UnboundedReceiver<Parcel>,
        mut to: WriteHalf<'_>,
    ) -> io::Result<()> {
        while let Some((due, bytes)) = parcels.recv().await {
            if due > Instant::now() {
                sleep_until(due).await;
            }
            self.write(&mut to, &bytes).await?;
        }
        Ok(())
    }

    async fn write(&self, to: &mut WriteHalf<'_>, bytes: &[u8]) -> io::Result<()> {
        if self.traffic() != Traffic::Slice {
            return to.write_all(bytes).await;
        }
        for byte in bytes {
            to.write_all(std::slice::from_ref(byte)).await?;
            // Yields after each byte, so that the other side can read the byte alone.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Returns when the connection must be cut: when its behaviour is a reset, or when the behaviour changes after data was
    /// lost.
    async fn is_cut(&self) {
        let (mut orders, mut is_new) = (self.orders.clone(), true);
        loop {
            let traffic = match *orders.borrow_and_update() {
                Traffic::Forget if is_new => Traffic::Pass,
                Traffic::Forget => Traffic::Swallow,
                traffic => traffic,
            };
            is_new = false;
            *self.traffic.lock().unwrap_or_else(PoisonError::into_inner) = traffic;
            let is_reset = matches!(traffic, Traffic::Reset | Traffic::Refuse);
            if is_reset || self.is_spoilt() || orders.changed().await.is_err() {
                return;
            }
        }
    }

    fn traffic(&self) -> Traffic {
        *self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_spoilt(&self) -> bool {
        self.spoilt.load(Ordering::Relaxed)
    }

    fn spoil(&self) {
        self.spoilt.store(true, Ordering::Relaxed);
        self.lost.fetch_add(1, Ordering::Relaxed);
    }
}

fn cut() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionReset)
}
