//! Reads and writes the socket of a connection: in the task of its session, so that a call needs no change of tasks.

use parking_lot::Mutex;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::oneshot;

/// The reading and writing of one socket. It is polled by the task of a session that [borrows](Borrowed) it, else by a task of its
/// own. The socket wakes only the one that has polled last, so they must not poll in turn.
pub(crate) struct Io {
    /// `None` after it has ended.
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    has_ended: AtomicBool,
    is_borrowed: AtomicBool,
    /// Wakes the task of its own.
    own_task: Mutex<Option<Waker>>,
}

impl Io {
    pub(super) fn new(future: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        let future: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(future);
        let (has_ended, is_borrowed) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self {
            future: Mutex::new(Some(future)),
            has_ended,
            is_borrowed,
            own_task: Mutex::default(),
        })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Reads and writes what is possible now. Ready when the connection has ended.
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut future = self.future.lock();
        let polled = future.as_mut().map_or(Poll::Ready(()), |future| future.as_mut().poll(context));
        drop(future);
        if polled.is_ready() {
            self.end();
        }
        polled
    }

    /// Ends the connection. Calls that wait for a reply receive an error.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        // Dropped outside of the lock, because the drop wakes those who wait for a reply.
        let future = self.future.lock().take();
        drop(future);
        self.wake_own_task();
    }

    fn wake_own_task(&self) {
        let own_task = self.own_task.lock().take();
        own_task.into_iter().for_each(Waker::wake);
    }
}

/// A socket that the owner of this value reads and writes. When it is dropped, the socket's own task goes on.
pub(crate) struct Borrowed(Arc<Io>);

impl Borrowed {
    pub(crate) fn new(io: &Arc<Io>) -> Self {
        io.is_borrowed.store(true, Ordering::Release);
        Self(Arc::clone(io))
    }

    pub(crate) fn is(&self, io: &Arc<Io>) -> bool {
        Arc::ptr_eq(&self.0, io)
    }

    /// Reads and writes what is possible now.
    pub(crate) fn poll(&self, context: &mut Context<'_>) {
        let _ = self.0.poll(context);
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.0.is_borrowed.store(false, Ordering::Release);
        self.0.wake_own_task();
    }
}

/// The time for which a connection that is no longer used waits for its last replies. Nobody tests such a connection, so without
/// this time, a server that never replies would keep its socket open, and its calls waiting.
const LAST_REPLIES: Duration = Duration::from_secs(10);

/// Reads and writes the socket while it is not borrowed, until the connection has ended. If the connection is no longer used, or its
/// runtime shuts down, ends it.
pub(super) async fn drive(io: Arc<Io>, mut unused: oneshot::Receiver<Infallible>) {
    let _end = End(Arc::clone(&io));
    let has_ended = poll_fn(|context| {
        // Stored before the look, so that no end of a borrowing is missed.
        *io.own_task.lock() = Some(context.waker().clone());
        if io.has_ended() || (!io.is_borrowed.load(Ordering::Acquire) && io.poll(context).is_ready()) {
            return Poll::Ready(true);
        }
        Pin::new(&mut unused).poll(context).map(|_| false)
    });
    if !has_ended.await {
        let mut last = pin!(tokio::time::sleep(LAST_REPLIES));
        poll_fn(|context| match io.poll(context) {
            Poll::Pending => last.as_mut().poll(context),
            Poll::Ready(()) => Poll::Ready(()),
        })
        .await;
    }
}

/// Ends the connection when its own task ends, also if the runtime drops the task.
struct End(Arc<Io>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Instant, sleep};

    #[tokio::test(start_paused = true)]
    async fn an_unused_connection_waits_for_its_last_replies() {
        for (replies_after, is_borrowed, expected) in
            [(3, false, 3), (60, false, 11), (3, true, 3), (60, true, 11)]
        {
            let (in_use, unused) = oneshot::channel();
            let began = Instant::now();
            let io = Io::new(sleep(Duration::from_secs(replies_after)));
            let _borrowed = is_borrowed.then(|| Borrowed::new(&io));
            let driving = tokio::spawn(drive(Arc::clone(&io), unused));
            sleep(Duration::from_secs(1)).await;
            drop(in_use);
            driving.await.unwrap();
            assert!(io.has_ended());
            assert_eq!(began.elapsed().as_secs(), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_socket_that_is_given_back_is_driven_again() {
        let (_in_use, unused) = oneshot::channel();
        let io = Io::new(sleep(Duration::from_secs(3)));
        let borrowed = Borrowed::new(&io);
        let driving = tokio::spawn(drive(Arc::clone(&io), unused));
        sleep(Duration::from_secs(5)).await;
        assert!(!io.has_ended());
        drop(borrowed);
        driving.await.unwrap();
        assert!(io.has_ended());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_with_its_runtime() {
        let (_in_use, unused) = oneshot::channel();
        let io = Io::new(std::future::pending());
        let _borrowed = Borrowed::new(&io);
        let driving = tokio::spawn(drive(Arc::clone(&io), unused));
        sleep(Duration::from_secs(1)).await;
        driving.abort();
        let _ = driving.await;
        assert!(io.has_ended());
    }
}
