//! tokio's timers. Outside of a runtime, and in a runtime without timers, these functions return errors instead of panicking. In
//! a program with `panic = "abort"`, a runtime must have timers.

use crate::error::{Error, ErrorKind};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::catch_unwind;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Handle, Id};
use tokio::time::{Instant, Sleep};

thread_local! {
    /// The last runtime on this thread that was found to have no timers.
    static TIMERLESS: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Creates a timer that ends at this moment.
pub(crate) fn sleep_until(at: Instant) -> Result<Sleep, Error> {
    Error::unless_runtime()?;
    if TIMERLESS.get().is_some() && TIMERLESS.get() == current() {
        return Err(no_timers());
    }
    // tokio does not tell whether a runtime has timers, and panics if it has none. The panic is caught, and `TIMERLESS`
    // remembers the runtime, so that the next timer on this thread does not panic. In a program with `panic = "abort"`, nobody
    // can catch it, so tokio ends the process, and its message says `enable_time`. A `Handle::has_time_driver`, for which tokio
    // has an open pull request, would replace the panic.
    catch_unwind(|| tokio::time::sleep_until(at)).map_err(|_| {
        TIMERLESS.set(current());
        no_timers()
    })
}

fn current() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}

fn no_timers() -> Error {
    let message = "the tokio runtime of this call has no timers; build the runtime with `enable_all`";
    Error::new(ErrorKind::Configuration, message)
}

/// Sleeps for this time.
pub(crate) async fn sleep(time: Duration) -> Result<(), Error> {
    sleep_until(Instant::now() + time)?.await;
    Ok(())
}

/// Awaits a future for at most this time. Returns `None` if the future is not ready by then. A future that is ready at once needs
/// no timer.
pub(crate) async fn timeout<F: Future>(within: Duration, future: F) -> Result<Option<F::Output>, Error> {
    let mut future = pin!(future);
    let first = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    if let Poll::Ready(output) = first {
        return Ok(Some(output));
    }
    let mut timer = pin!(sleep_until(Instant::now() + within)?);
    Ok(poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await)
}

/// Returns the runtime that polls the caller, or an error if no runtime does or if its tasks cannot use timers.
pub(crate) fn runtime() -> Result<Handle, Error> {
    drop(sleep_until(Instant::now())?);
    Error::runtime()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use tokio::runtime::Builder;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_runtime_without_timers_is_an_error() {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let errors = [
                sleep(SECOND).await.err(),
                timeout(SECOND, pending::<()>()).await.err(),
                super::runtime().err(),
            ];
            for error in errors.map(Option::unwrap) {
                assert!(error.to_string().contains("has no timers"), "{error}");
            }
            assert_eq!(timeout(SECOND, ready(7)).await.unwrap(), Some(7));
        });
    }

    #[tokio::test(start_paused = true)]
    async fn a_future_is_awaited_for_its_time() {
        assert_eq!(timeout(SECOND, pending::<()>()).await.unwrap(), None);
        let soon = async { sleep(SECOND / 2).await.map(|()| 7).unwrap() };
        assert_eq!(timeout(SECOND, soon).await.unwrap(), Some(7));
        assert!(runtime().is_ok());
    }
}
