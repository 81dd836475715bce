//! Eight single-threaded runtimes share a limiter. One runtime at a time is blocked, idle or shut down while its calls are in
//! flight. The others must still decide, hold permits, use leases and load overrides.

use crate::harness::{PATIENCE, is_soak, limiter_at, limiter_on, runtime};
use ratelimit::{Key, Limit, OnError, RateLimiter, RateLimiterBuilder};
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use support::{Cluster, DAY, MS, RedisServer, SECOND};
use tokio::runtime::Runtime;

const RUNTIMES: usize = 8;
const DAILY: Limit = Limit::counter(1_000_000, DAY);
const LEASED: Limit = DAILY.lease(200);
const BUCKET: Limit = Limit::token_bucket(1_000_000, SECOND);
/// A limit with one permit for each runtime. The leases end during the test unless they are renewed.
const PERMITS: Limit = Limit::concurrency(8, Duration::from_secs(3));

type Job = Box<dyn FnOnce(&mut Runtime) + Send>;

/// A thread with a runtime, which runs one job after another.
struct Worker {
    jobs: mpsc::Sender<Job>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn start() -> Self {
        let (jobs, next) = mpsc::channel::<Job>();
        let thread = thread::spawn(move || {
            let mut runtime = runtime();
            while let Ok(job) = next.recv() {
                job(&mut runtime);
            }
        });
        Self { jobs, thread }
    }

    fn give(&self, job: impl FnOnce(&mut Runtime) + Send + 'static) {
        self.jobs.send(Box::new(job)).unwrap();
    }

    /// Starts a job. Returns the receiver of its result.
    fn begin<T: Send + 'static>(&self, job: impl Future<Output = T> + Send + 'static) -> mpsc::Receiver<T> {
        let (sender, result) = mpsc::channel();
        self.give(move |runtime| drop(sender.send(runtime.block_on(job))));
        result
    }
}

/// The state of the disturbed runtime.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Blocked,
    Idle,
    ShutDown,
}

/// The shutdown comes last, because the runtime's permit is lost with it.
const DISTURBANCES: [Disturbance; 3] = [Disturbance::Blocked, Disturbance::Idle, Disturbance::ShutDown];

/// Starts calls of every kind, and leaves them unfinished.
async fn begin_calls(limiter: RateLimiter, number: usize) {
    let (key, bucket_key) = (move || Key::new("calls").by(number), move || Key::new("bucket").by(number));
    let mut calls: Vec<Pin<Box<dyn Future<Output = ()> + Send>>> = Vec::new();
    for _ in 0..20 {
        let (a, b, c, d) = (limiter.clone(), limiter.clone(), limiter.clone(), limiter.clone());
        calls.push(Box::pin(async move { drop(a.check(&DAILY, key()).await) }));
        calls.push(Box::pin(async move { drop(b.check(&LEASED, Key::new("leased")).await) }));
        calls.push(Box::pin(async move { drop(c.permit(&PERMITS, Key::new("more permits")).await) }));
        calls.push(Box::pin(async move {
            drop(d.check_all(&[(&DAILY, &key(), 1), (&BUCKET, &bucket_key(), 1)]).await);
        }));
    }
    poll_fn(|context| {
        calls.retain_mut(|call| call.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    // The calls become tasks of this runtime. While it is disturbed, they are not polled.
    for call in calls {
        tokio::spawn(call);
    }
    tokio::task::yield_now().await;
}

/// Disturbs a runtime until the returned sender is used or dropped.
fn disturb(worker: &Worker, what: Disturbance, limiter: &RateLimiter, number: usize) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel::<()>();
    let limiter = limiter.clone();
    worker.give(move |runtime| match what {
        Disturbance::Blocked => runtime.block_on(async {
            begin_calls(limiter, number).await;
            let _ = released.recv();
        }),
        Disturbance::Idle => {
            runtime.block_on(begin_calls(limiter, number));
            let _ = released.recv();
        }
        Disturbance::ShutDown => {
            runtime.block_on(begin_calls(limiter, number));
            *runtime = crate::harness::runtime();
            let _ = released.recv();
        }
    });
    release
}

/// Makes calls until `stop` is set, and reports each round.
async fn decide(limiter: RateLimiter, number: usize, rounds: mpsc::Sender<usize>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let key = Key::new("calls").by(number);
        limiter.check(&DAILY, key).await.unwrap();
        limiter.check(&LEASED, Key::new("leased")).await.unwrap();
        limiter.check_all(&[(&DAILY, &key, 1), (&BUCKET, &Key::new("bucket").by(number), 1)]).await.unwrap();
        let charge = limiter.charge(&BUCKET, key, 3).await.unwrap();
        charge.settle(1).await.unwrap();
        let permit = limiter.permit(&Limit::concurrency(1, SECOND), Key::new("own").by(number)).await;
        drop(permit.unwrap());
        let _ = rounds.send(number);
        tokio::time::sleep(MS).await;
    }
}

/// The tasks that make calls in all runtimes except the disturbed one.
struct Deciding {
    rounds: mpsc::Receiver<usize>,
    stop: Arc<AtomicBool>,
    ends: Vec<(usize, mpsc::Receiver<()>)>,
}

fn others_decide(workers: &[Worker], but: usize, limiter: &RateLimiter) -> Deciding {
    let (sender, rounds) = mpsc::channel();
    let stop = Arc::new(AtomicBool::new(false));
    let others = workers.iter().enumerate().filter(|(at, _)| *at != but);
    let begin = |(at, worker): (usize, &Worker)| {
        (at, worker.begin(decide(limiter.clone(), at, sender.clone(), Arc::clone(&stop))))
    };
    let ends = others.map(begin).collect();
    Deciding { rounds, stop, ends }
}

impl Deciding {
    /// Waits until each runtime has finished `number` rounds, and at least for the time `least`.
    fn wait_for_rounds(&self, number: u32, least: Duration, what: &str) {
        let (start, mut done) = (Instant::now(), [0; RUNTIMES]);
        while self.ends.iter().any(|(at, _)| done[*at] < number) || start.elapsed() < least {
            for (at, end) in &self.ends {
                let has_ended = end.try_recv() == Err(mpsc::TryRecvError::Disconnected);
                assert!(!has_ended, "{what}, and runtime {at} has met an error");
            }
            let at = self.rounds.recv_timeout(PATIENCE);
            done[at.unwrap_or_else(|_| panic!("{what}, and the others do not go on: {done:?}"))] += 1;
        }
    }

    /// Stops all calls, and asserts that none has failed.
    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        for (at, end) in self.ends {
            end.recv().unwrap_or_else(|_| panic!("runtime {at} has met an error"));
        }
    }
}

/// Holds a permit forever. If a runtime was shut down, its permit must become free first.
async fn hold(limiter: RateLimiter) {
    let start = Instant::now();
    let permit = loop {
        match limiter.permit(&PERMITS, Key::new("permits")).await {
            Ok(permit) => break permit,
            Err(rejection) => assert!(start.elapsed() < PATIENCE, "{rejection}"),
        }
        tokio::time::sleep(10 * MS).await;
    };
    tokio::spawn(async move {
        pending::<()>().await;
        drop(permit);
    });
}

fn disturb_each_in_turn(limiter: impl Fn() -> RateLimiterBuilder) {
    // In the soak, each disturbance lasts two seconds, and the deadline is the default deadline.
    let (deadline, least) = if is_soak() { (100 * MS, 2 * SECOND) } else { (5 * SECOND, Duration::ZERO) };
    let strict = || limiter().on_error(OnError::Deny).deadline(deadline).connect();
    let own = runtime();
    let (shared, outside) = (own.block_on(strict()).unwrap(), own.block_on(strict()).unwrap());
    let workers: Vec<Worker> = (0..RUNTIMES).map(|_| Worker::start()).collect();
    for worker in &workers {
        worker.begin(hold(shared.clone())).recv().unwrap();
    }
    for (at, worker) in workers.iter().enumerate() {
        for (kind, what) in DISTURBANCES.into_iter().enumerate() {
            // The first runtime runs the background tasks, so all disturbances are tried on it. On each other runtime, an
            // ordinary run tries one disturbance, and the soak tries all.
            if at > 0 && at % DISTURBANCES.len() != kind && !is_soak() {
                continue;
            }
            let release = disturb(worker, what, &shared, at);
            let others = others_decide(&workers, at, &shared);
            others.wait_for_rounds(20, least, &format!("{at} is {what:?}"));
            let live = own.block_on(outside.peek(&PERMITS, Key::new("permits"))).unwrap();
            let ended = u32::from(matches!(what, Disturbance::ShutDown));
            assert!(live.remaining() <= ended, "{what:?}: {} of 8 permits are lost", live.remaining());
            others.stop();
            release.send(()).unwrap();
            if ended > 0 {
                worker.begin(hold(shared.clone())).recv().unwrap();
            }
        }
    }
    see_an_override(&workers, &shared, &own, &outside);
    for worker in workers {
        drop(worker.jobs);
        worker.thread.join().unwrap();
    }
}

/// Asserts that an override applies in all runtimes except the first one. The first runtime is idle, so another runtime must
/// take over the task that loads overrides.
fn see_an_override(workers: &[Worker], shared: &RateLimiter, own: &Runtime, outside: &RateLimiter) {
    own.block_on(outside.overrides().set("changed", &Limit::counter(1, SECOND))).unwrap();
    let sees = async |limiter: RateLimiter| {
        let start = Instant::now();
        while limiter.peek(&DAILY, "changed").await.unwrap().capacity() > 1 {
            assert!(start.elapsed() < PATIENCE, "the override does not apply");
            limiter.check(&DAILY, "calls").await.unwrap();
            tokio::time::sleep(10 * MS).await;
        }
    };
    let seeing: Vec<_> = workers[1..].iter().map(|worker| worker.begin(sees(shared.clone()))).collect();
    for seen in seeing {
        seen.recv().unwrap();
    }
}

#[test]
fn on_a_server_a_disturbed_runtime_affects_only_its_own_calls() {
    let server = RedisServer::start();
    disturb_each_in_turn(|| limiter_on(&server));
}

#[test]
fn on_a_cluster_a_disturbed_runtime_affects_only_its_own_calls() {
    let cluster = Cluster::start(3);
    disturb_each_in_turn(|| limiter_at(cluster.url()));
}
