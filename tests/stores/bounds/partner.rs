//! Eight processes ask a partner at 50 calls per second, all together. The partner answers once that it wants to be asked
//! later. All processes hold still until then, and go on at their pace.

use crate::bounds::processes::workers::Worker;
use crate::harness::{is_soak, wait_for};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{MS, RedisServer, SECOND};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const PROCESSES: usize = 8;
/// The time in which the partner answers.
const ANSWERS: Duration = Duration::from_millis(50);
/// How long the processes ask after the pause.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// Counts its calls, and refuses one when it is told to.
#[derive(Default)]
struct Partner {
    arrived: Mutex<Vec<Instant>>,
    /// How long it wants no calls, until it has said so.
    refuses: Mutex<Option<Duration>>,
    /// When it sent the refusal, and the calls that were under way then.
    refused: Mutex<Option<(Instant, usize)>>,
    answered: Mutex<usize>,
}

impl Partner {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (connection, _) = listener.accept().await.unwrap();
            tokio::spawn(Arc::clone(&self).answer(connection));
        }
    }

    async fn answer(self: Arc<Self>, mut connection: TcpStream) {
        while connection.read_u8().await.is_ok() {
            self.arrived.lock().unwrap().push(Instant::now());
            tokio::time::sleep(ANSWERS).await;
            let refusal = self.refuses.lock().unwrap().take();
            if refusal.is_some() {
                let under_way = self.calls() - *self.answered.lock().unwrap() - 1;
                *self.refused.lock().unwrap() = Some((Instant::now(), under_way));
            }
            *self.answered.lock().unwrap() += 1;
            let ms = u64::try_from(refusal.unwrap_or_default().as_millis()).unwrap();
            if connection.write_u64(ms).await.is_err() {
                return;
            }
        }
    }

    fn calls(&self) -> usize {
        self.arrived.lock().unwrap().len()
    }

    /// The calls that arrived in this time.
    fn calls_in(&self, from: Instant, to: Instant) -> usize {
        self.arrived.lock().unwrap().iter().filter(|at| (from..to).contains(*at)).count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_answer_of_a_partner_pauses_eight_processes() {
    let (server, partner) = (RedisServer::start(), Arc::new(Partner::default()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(Arc::clone(&partner).serve(listener));
    let mut workers: Vec<Worker> =
        (0..PROCESSES).map(|_| Worker::start(&[&server.url(), "partner", &address])).collect();
    for worker in &mut workers {
        assert_eq!(worker.line(), "asking");
    }

    wait_for("the partner is asked", async || partner.calls() >= 50).await;
    let before = Instant::now();
    tokio::time::sleep(2 * SECOND).await;
    let pace = partner.calls_in(before, before + 2 * SECOND);
    let pause = if is_soak() { 30 * SECOND } else { 3 * SECOND };
    *partner.refuses.lock().unwrap() = Some(pause);
    wait_for("the partner refuses", async || partner.refused.lock().unwrap().is_some()).await;
    let (refused, under_way) = partner.refused.lock().unwrap().unwrap();
    tokio::time::sleep(pause + AFTERWARDS).await;

    let end = refused + pause;
    // The limit is paused as soon as the answer and a script call have arrived.
    let settles = if is_soak() { 100 * MS } else { SECOND };
    let (late, during) =
        (partner.calls_in(refused, refused + settles), partner.calls_in(refused + settles, end));
    let after: Vec<usize> =
        (0..5).map(|n| partner.calls_in(end + n * SECOND, end + (n + 1) * SECOND)).collect();
    println!(
        "{pace} calls in 2 s before; at the answer {under_way} were under way, and {late} more arrived within {settles:?}; \
         {during} in the rest of the {pause:?}; after it {after:?} per second"
    );
    assert_eq!(during, 0);
    // On a busy machine, a call may be read late, and then counts in the next second.
    assert!(after.iter().sum::<usize>() <= 6 * 50, "{after:?}");
    if is_soak() {
        assert!(late <= 6, "{late} calls in the first 100 ms, which has five turns");
        assert!(after.iter().all(|calls| (48..=52).contains(calls)), "{after:?}");
    }
}
