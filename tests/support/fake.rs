//! A server on loopback that speaks the protocol of Redis and sends replies that a test chooses.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Replies to each command with the result of a function. The server stops when this value is dropped.
#[derive(Debug)]
pub struct FakeServer {
    port: u16,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    ends: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl FakeServer {
    /// Starts a server. `answer` takes the words of a command and the server's port, and returns the bytes of the
    /// reply.
    #[must_use]
    pub fn start(answer: impl Fn(&[String], u16) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let shared = Arc::new(Shared::default());
        let (known, answer) = (Arc::clone(&shared), Arc::new(answer));
        let accepting = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if known.ends.load(Ordering::Acquire) {
                    return;
                }
                let (Ok(connection), answer) = (connection, Arc::clone(&answer)) else { continue };
                if let Ok(clone) = connection.try_clone() {
                    known.connections.lock().unwrap_or_else(PoisonError::into_inner).push(clone);
                }
                std::thread::spawn(move || {
                    // The write fails when the client or the test ends.
                    let _ = serve(connection, |words| answer(words, port));
                });
            }
        });
        Self { port, shared, accepting: Some(accepting) }
    }

    /// The port of the server.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The URL of the server: `redis://127.0.0.1:port`
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Release);
        // Wakes the thread that accepts connections.
        let woken = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| woken) {
            let _ = accepting.join();
        }
        for connection in self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

fn serve(mut connection: TcpStream, answer: impl Fn(&[String]) -> Vec<u8>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut requests = BufReader::new(connection.try_clone()?);
    loop {
        let words = read_command(&mut requests)?;
        connection.write_all(&answer(&words))?;
    }
}

/// Reads a command, such as `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`.
fn read_command(requests: &mut impl BufRead) -> io::Result<Vec<String>> {
    let number = read_number(requests, '*')?;
    (0..number)
        .map(|_| {
            let mut word = vec![0; read_number(requests, '$')? + 2];
            requests.read_exact(&mut word)?;
            word.truncate(word.len() - 2);
            Ok(String::from_utf8_lossy(&word).into_owned())
        })
        .collect()
}

fn read_number(requests: &mut impl BufRead, kind: char) -> io::Result<usize> {
    let mut line = String::new();
    requests.read_line(&mut line)?;
    let number = line.strip_prefix(kind).and_then(|number| number.trim_end().parse().ok());
    number.ok_or_else(|| io::ErrorKind::InvalidData.into())
}
