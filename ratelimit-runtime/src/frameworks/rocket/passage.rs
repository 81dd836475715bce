//! `Passage`: the layers that a request of rocket has entered, with their state for this request. It is stored in the request's
//! local cache.

use crate::__private::Admission;
use crate::by_task::{OfRequest, Registration};
use crate::context::{self, RequestContext};
use crate::layer::{Entered, Settings};
use crate::limiter::RateLimiter;
use crate::limiter::current;
use crate::rejection::Rejection;
use parking_lot::Mutex;
use rocket::Request;
use rocket::http::Status;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

/// The layers that a request has entered.
///
/// rocket drops the passage with the request, even if the request is cancelled. The drop ends the request's context and returns
/// the permits of its layers.
#[derive(Default)]
pub(crate) struct Passage {
    layers: Mutex<Layers>,
    /// The status of the answer to a refused call. 0: there is no such answer.
    answered: AtomicU16,
}

#[derive(Default)]
struct Layers {
    /// The layers in the order of attachment, the outermost layer first.
    passed: SmallVec<[Arc<Passed>; 1]>,
    /// The context and the limiter of the request, registered under its task.
    registrations: Option<(Registration<RequestContext>, Registration<RateLimiter>)>,
}

/// A layer that a request has entered.
pub(super) struct Passed {
    settings: Arc<Settings>,
    pub(super) entered: Entered,
    /// The limiter of this layer, else the limiter of the layers around it.
    limiter: Option<RateLimiter>,
    /// The address in memory of the request for which the layer has decided its limits. 0: it has not decided. Clones of a
    /// request of rocket's local client share this cache. Their memory addresses differ, so each clone is decided once.
    decided: AtomicUsize,
    /// The permits of the layer's limits, held until the response has been made.
    admission: Mutex<Option<Admission>>,
}

impl Passage {
    pub(crate) fn of<'r>(request: &'r Request<'_>) -> &'r Self {
        request.local_cache(Self::default)
    }

    /// Enters a layer that is attached to the application.
    pub(super) fn enter(&self, settings: &Arc<Settings>, request: &Request<'_>) -> Arc<Passed> {
        let mut earlier = Layers::default(); // dropped after the lock is released
        let mut layers = self.layers.lock();
        if layers.passed.iter().any(|passed| Arc::ptr_eq(&passed.settings, settings)) {
            // This request is a clone of an earlier request of rocket's local client, and shares the cache of that request. The
            // layers of the earlier request are dropped.
            std::mem::swap(&mut *layers, &mut earlier);
            earlier.registrations = None;
            self.answered.store(0, Ordering::Relaxed);
        }
        let passed = Arc::new(Passed::within(layers.passed.last(), settings, request));
        let (context, limiter) = passed.of_request();
        if let Some((contexts, limiters)) = &layers.registrations {
            contexts.replace(context);
            limiters.replace(limiter);
        } else {
            let context = context::OF_REQUESTS.register(context);
            let limiter = current::OF_REQUESTS.register(limiter);
            layers.registrations = context.zip(limiter);
        }
        layers.passed.push(Arc::clone(&passed));
        passed
    }

    /// `None` if the request has not entered the layer.
    pub(super) fn passed(&self, settings: &Arc<Settings>) -> Option<Arc<Passed>> {
        let layers = self.layers.lock();
        layers.passed.iter().find(|passed| Arc::ptr_eq(&passed.settings, settings)).cloned()
    }

    /// If this layer is the last layer that sees the response, ends the request's context.
    pub(super) fn leave(&self, passed: &Arc<Passed>) {
        let mut layers = self.layers.lock();
        if layers.passed.last().is_some_and(|last| Arc::ptr_eq(last, passed)) {
            layers.registrations = None;
        }
    }

    /// The context of the request, even if the current task has none.
    pub(crate) fn context(&self) -> Option<RequestContext> {
        let of_innermost = || Some(self.layers.lock().passed.last()?.entered.context.clone());
        RequestContext::current().or_else(of_innermost)
    }

    /// Records that a rejection was turned into a response with this status.
    pub(crate) fn answered(&self, status: Status) {
        self.answered.store(status.code, Ordering::Relaxed);
    }

    /// Whether a rejection was turned into a response with this status.
    pub(crate) fn has_answered(&self, status: Status) -> bool {
        self.answered.load(Ordering::Relaxed) == status.code
    }
}

impl Passed {
    fn within(outer: Option<&Arc<Self>>, settings: &Arc<Settings>, request: &Request<'_>) -> Self {
        // The context and the limiter of the task are not used: they may belong to another local
        // request.
        let context = outer.map(|outer| outer.entered.context.clone()).or_else(RequestContext::scoped);
        let limiter = outer.and_then(|outer| outer.limiter.clone()).or_else(current::scoped);
        let entered = current::sync_scope(limiter.as_ref(), || settings.enter_within(context, request));
        Self {
            settings: Arc::clone(settings),
            entered,
            limiter: settings.limiter.clone().or(limiter),
            decided: AtomicUsize::new(0),
            admission: Mutex::new(None),
        }
    }

    fn of_request(&self) -> (OfRequest<RequestContext>, OfRequest<RateLimiter>) {
        let context = Some(self.entered.context.clone());
        (
            OfRequest { value: context, outer: RequestContext::scoped() },
            OfRequest { value: self.limiter.clone(), outer: current::scoped() },
        )
    }

    /// Decides the limits of the layer, once for each request.
    pub(super) async fn decide(&self, request: &Request<'_>) -> Result<(), Rejection> {
        let address = std::ptr::from_ref(request).addr();
        if self.decided.swap(address, Ordering::Relaxed) == address {
            return Ok(());
        }
        let context = &self.entered.context;
        let deciding = current::sync_scope(self.limiter.as_ref(), || {
            context.sync_scope(|| self.settings.decide(context, request))
        });
        let Some(deciding) = deciding else { return Ok(()) };
        let admission = context.clone().scope(deciding).await?;
        *self.admission.lock() = Some(admission);
        Ok(())
    }

    /// Gives back the permits that the limits of the layer hold.
    pub(super) fn release(&self) {
        let admission = self.admission.lock().take();
        drop(admission); // after the lock is released
    }
}
