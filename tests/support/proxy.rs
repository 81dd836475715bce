//! A proxy between a client and its server that delays, loses, slices and cuts data.

mod connection;

use crate::ports::free_port;
use connection::serve;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::watch;

/// The behaviour of a [`Proxy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Passes everything on at once.
    Pass,
    /// Delays replies by this time. Replies stay in order, and get no additional gaps.
    DelayReplies(Duration),
    /// Passes everything on, one byte at a time.
    Slice,
    /// Accepts new connections, and passes nothing on.
    Swallow,
    /// Swallows all data of the connections that exist now, in silence, like a firewall that has forgotten them. Passes the data
    /// of new connections on.
    Forget,
    /// Forwards script calls to the server. From the first script call of a connection on, drops all of its replies.
    LoseReplies,
    /// Like [`LoseReplies`](Traffic::LoseReplies), but resets the connection when the reply to a script call is due.
    CutReplies,
    /// Resets all connections. New connections are accepted, [counted](Proxy::accepted) and then reset.
    Reset,
    /// Resets all connections and refuses new ones. Refused connections are not counted.
    Refuse,
}

/// A proxy on its own loopback port, in front of another port. It runs on its own thread, so that the test's runtime may be
/// busy, paused or dropped. It closes all connections when it is dropped.
///
/// A connection that has lost data is reset when the behaviour changes. Otherwise the client would take a later reply for the
/// lost one.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    accepted: Accepted,
    lost: Arc<AtomicUsize>,
    orders: Option<watch::Sender<Traffic>>,
    obeyed: mpsc::Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

type Accepted = Arc<Mutex<Vec<Instant>>>;

impl Proxy {
    /// Starts a proxy that forwards all data to and from `port`, until [its behaviour changes](Self::set).
    #[must_use]
    pub fn start(port: u16) -> Self {
        Self::start_on(free_port(), port)
    }

    pub(crate) fn start_on(own_port: u16, port: u16) -> Self {
        let (orders, told) = watch::channel(Traffic::Pass);
        let (ready, obeyed) = mpsc::channel();
        let (accepted, lost) = (Accepted::default(), Arc::<AtomicUsize>::default());
        let desk =
            Desk { own_port, port, told, ready, accepted: Arc::clone(&accepted), lost: Arc::clone(&lost) };
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be made").block_on(desk.run());
        });
        let proxy =
            Self { port: own_port, accepted, lost, orders: Some(orders), obeyed, thread: Some(thread) };
        proxy.wait();
        proxy
    }

    /// The port for clients.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL for clients: `redis://127.0.0.1:port/`
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Changes the behaviour of new and existing connections. For new connections, the change applies when this function
    /// returns.
    pub fn set(&self, traffic: Traffic) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(traffic);
        }
        self.wait();
    }

    /// The times at which connections were accepted.
    #[must_use]
    pub fn accepted(&self) -> Vec<Instant> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of losses. A loss is data that the proxy swallowed or did not deliver, or a connection that it cut instead of
    /// delivering a reply.
    #[must_use]
    pub fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    fn wait(&self) {
        self.obeyed.recv_timeout(Duration::from_secs(10)).expect("the proxy's thread obeys");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The data of the proxy's thread, which accepts connections and obeys the test.
struct Desk {
    own_port: u16,
    port: u16,
    told: watch::Receiver<Traffic>,
    ready: mpsc::Sender<()>,
    accepted: Accepted,
    lost: Arc<AtomicUsize>,
}

impl Desk {
    async fn run(mut self) {
        let mut listener = None;
        loop {
            let traffic = *self.told.borrow_and_update();
            if traffic == Traffic::Refuse {
                listener = None;
            } else if listener.is_none() {
                listener = Some(self.listen().await);
            }
            let _ = self.ready.send(());
            loop {
                tokio::select! {
                    biased;
                    order = self.told.changed() => match order {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                    client = accept(listener.as_ref()) => self.take(client, traffic),
                }
            }
        }
    }

    async fn listen(&self) -> TcpListener {
        TcpListener::bind((Ipv4Addr::LOCALHOST, self.own_port)).await.expect("the proxy's port is its own")
    }

    fn take(&self, client: TcpStream, traffic: Traffic) {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        if traffic == Traffic::Reset {
            let _ = client.set_zero_linger();
        } else {
            tokio::spawn(serve(client, self.port, self.told.clone(), Arc::clone(&self.lost)));
        }
    }
}

async fn accept(listener: Option<&TcpListener>) -> TcpStream {
    loop {
        match listener {
            None => std::future::pending().await,
            Some(listener) => {
                if let Ok((client, _)) = listener.accept().await {
                    return client;
                }
            }
        }
    }
}
