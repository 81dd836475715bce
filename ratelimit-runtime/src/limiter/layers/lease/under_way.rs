//! `FetchUnderWay`: the progress of a fetch, which the waiting calls watch.

use crate::decision::Decision;
use crate::error::Error;
use crate::store::MissedDeadline;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;
use std::task::{Context, Waker};
use tokio::time::Instant;

/// A fetch that has begun, and the calls that wait for it.
pub(super) struct FetchUnderWay {
    /// The most units that the fetch requests.
    pub(super) units: u32,
    pub(super) began: Instant,
    progress: Mutex<Progress>,
}

struct Progress {
    state: FetchState,
    /// The wakers of the calls, each at its own place. A fetch seldom has more than one waiting call.
    waiting: SmallVec<[Option<Waker>; 1]>,
}

/// The progress of a fetch.
#[derive(Clone)]
pub(super) enum FetchState {
    /// The fetch has begun. Its task watches the deadline, so calls that began after the fetch need no timers.
    UnderWay,
    /// The reply is late. Each call watches its own deadline, and reports a missed deadline to the observer.
    Late(Option<Arc<dyn MissedDeadline>>),
    /// The units are in the lease, or the fetch was dropped.
    Ended,
    /// The store had too few units, so each call sends its own request.
    TooFew(TooFew),
    Failed(Error),
}

/// The result of waiting for a fetch.
pub(super) enum Waited {
    /// The call is woken when the fetch ends or is late.
    Watched,
    /// The call is woken when the fetch ends. It needs a timer for its deadline. Contains the observer of missed deadlines.
    Unwatched(Option<Arc<dyn MissedDeadline>>),
    Ended(FetchState),
}

/// The store's refusal of a fetch, and the number of units that the fetch wanted.
#[derive(Clone, Copy)]
pub(super) struct TooFew {
    pub(super) wanted: u32,
    pub(super) refusal: Decision,
}

impl FetchUnderWay {
    pub(super) fn new(units: u32) -> Self {
        let progress = Progress { state: FetchState::UnderWay, waiting: SmallVec::new() };
        Self { units, began: Instant::now(), progress: Mutex::new(progress) }
    }

    /// Returns whether the fetch has ended. If it has not ended, returns whether the call needs a timer. The call is woken when
    /// that changes. `place` is the index of the call's waker; `None` before the first call of this method.
    pub(super) fn poll(&self, place: &mut Option<usize>, context: &mut Context<'_>) -> Waited {
        let mut progress = self.progress.lock();
        let Progress { state, waiting } = &mut *progress;
        if !matches!(state, FetchState::UnderWay | FetchState::Late(_)) {
            return Waited::Ended(state.clone());
        }
        let at = *place.get_or_insert(waiting.len());
        if at == waiting.len() {
            waiting.push(None);
        }
        let is_woken = waiting[at].as_ref().map(|waker| waker.will_wake(context.waker()));
        if is_woken != Some(true) {
            waiting[at] = Some(context.waker().clone());
        }
        match state {
            FetchState::Late(observer) => Waited::Unwatched(observer.clone()),
            // The call may have moved to another runtime, and the runtime of the fetch may be blocked. So the call needs a timer.
            _ if is_woken == Some(false) => Waited::Unwatched(None),
            _ => Waited::Watched,
        }
    }

    /// Removes the waker of a call that no longer waits.
    pub(super) fn leave(&self, place: usize) {
        if let Some(waker) = self.progress.lock().waiting.get_mut(place) {
            *waker = None;
        }
    }

    /// Sets the state, and wakes the calls in the order of their arrival.
    pub(super) fn set(&self, state: FetchState) {
        let waiting = {
            let mut progress = self.progress.lock();
            progress.state = state;
            let waiting = progress.waiting.iter_mut().map(Option::take);
            waiting.collect::<SmallVec<[Option<Waker>; 4]>>()
        };
        // The calls are woken after the lock was released, because a woken call takes the lock.
        waiting.into_iter().flatten().for_each(Waker::wake);
    }
}
