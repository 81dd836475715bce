//! `RequestContext`: the facts about the request that a task answers, and the decisions about its calls.

// The context is a task-local that the layer sets. rocket's fairings cannot wrap the future of a handler, so there `by_task`
// finds the context.

mod decisions;
mod words;

pub use crate::answer::recorded::RecordedDecision;
pub use words::{ContextClientIp, ContextHeader, ContextUser, client_ip, header, user};

use crate::answer::{Answer, Answers};
use crate::identity::{Identity, PeerAddr};
use crate::macros::opaque;
use crate::rejection::Rejection;
use decisions::Decisions;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

tokio::task_local! {
    static CURRENT: RequestContext;
}

/// The contexts of the requests that rocket is answering.
#[cfg(feature = "rocket")]
pub(crate) static OF_REQUESTS: crate::by_task::ByTask<RequestContext> = crate::by_task::ByTask::new();

/// The request that the current task answers: its client, its user, chosen headers, and the decisions that attributes and layers
/// have made for it.
///
/// `RateLimitLayer` sets it for each request. Set it yourself for a server that has no layer, or in a test:
///
/// ```
/// use ratelimit::context::RequestContext;
/// use ratelimit::{Rejection, rate_limit};
/// use std::net::IpAddr;
///
/// #[rate_limit(key = "context_example", count = 1, by = ratelimit::context::client_ip())]
/// async fn search() -> Result<(), Rejection> { Ok(()) }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let from = |last| RequestContext::new().with_client_ip(IpAddr::from([203, 0, 113, last]));
/// assert!(from(7).scope(search()).await.is_ok());
/// assert!(from(7).scope(search()).await.is_err());
/// assert!(from(8).scope(search()).await.is_ok());
/// # }
/// ```
///
/// The context belongs to the task. A task that is spawned with [`tokio::spawn`] does not have it. Pass it to the task with
/// [`current`](Self::current) and [`scope`](Self::scope). Clones share all state.
#[derive(Clone, Default)]
#[must_use]
pub struct RequestContext {
    known: Arc<Known>,
    made: Arc<Made>,
}

/// A future that runs with a context.
pub(crate) type Contextual<F> = tokio::task::futures::TaskLocalFuture<RequestContext, F>;

/// The facts that are known when the request arrives.
#[derive(Clone, Default)]
struct Known {
    peer: Option<PeerAddr>,
    client_ip: Option<IpAddr>,
    headers: Vec<KeptHeader>,
    answers: Option<Answers>,
    /// The names of the limits of the layers that the request is passing through.
    layers: SmallVec<[&'static str; 1]>,
}

/// The facts that become known while the request is answered.
#[derive(Default)]
struct Made {
    user: Mutex<Option<User>>,
    decisions: Mutex<Decisions>,
    rejection: Mutex<Option<Rejection>>,
}

type User = Arc<dyn Identity + Send + Sync>;

/// A header that the layer was asked to keep. The value is `None` if the request does not have the header exactly once.
#[derive(Clone)]
struct KeptHeader {
    name: Arc<str>,
    value: Option<Arc<[u8]>>,
}

impl RequestContext {
    /// Creates a context without any facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a context with the addresses of a request.
    pub(crate) fn of_addresses(peer: Option<PeerAddr>, client_ip: Option<IpAddr>) -> Self {
        Self::default().with(|known| (known.peer, known.client_ip) = (peer, client_ip))
    }

    /// Sets the address of the client. The address is not checked: if the client may be behind a proxy, resolve it with
    /// [`RateLimiter::client_ip`](crate::RateLimiter::client_ip).
    pub fn with_client_ip(self, address: IpAddr) -> Self {
        self.with(|known| known.client_ip = Some(address))
    }

    /// Sets the other end of the connection. An argument that has the same peer and no headers then uses the client's address
    /// from this context.
    pub fn with_peer(self, peer: PeerAddr) -> Self {
        self.with(|known| known.peer = Some(peer))
    }

    /// Keeps a header for `by = ratelimit::context::header(name)`. Pass `None` if the request does not have the header exactly
    /// once.
    pub fn with_header(self, name: &str, value: Option<&[u8]>) -> Self {
        let header = KeptHeader { name: name.to_ascii_lowercase().into(), value: value.map(Arc::from) };
        self.with(|known| known.headers.push(header))
    }

    /// Sets the form of the answers to refused requests. The default is the form that the process has installed.
    pub fn with_answers(self, answers: Answers) -> Self {
        self.with(|known| known.answers = Some(answers))
    }

    /// Notes that the request enters a layer with these limits.
    pub(crate) fn within_limits(self, names: impl Iterator<Item = &'static str>) -> Self {
        self.with(|known| known.layers.extend(names))
    }

    /// Changes the facts of the context. Earlier clones keep their facts, and share the user and the decisions.
    fn with(mut self, change: impl FnOnce(&mut Known)) -> Self {
        change(Arc::make_mut(&mut self.known));
        self
    }

    /// Sets the user, for `by = ratelimit::context::user()`. Call it in an authentication middleware, once the user is known.
    pub fn set_user(&self, user: impl Identity + Send + Sync + 'static) {
        *self.made.user.lock() = Some(Arc::new(user));
    }

    /// Returns the context of the current task. `None` outside a request, and in a task that a handler has spawned.
    pub fn current() -> Option<Self> {
        Self::read(Self::clone)
    }

    /// Calls `read` with the context of the current task. `None` if the task has no context.
    fn read<R>(read: impl FnOnce(&Self) -> R) -> Option<R> {
        #[cfg(feature = "rocket")]
        if let Some(context) = OF_REQUESTS.find(Self::scoped, Self::is) {
            return Some(read(&context));
        }
        CURRENT.try_with(read).ok()
    }

    /// Whether `other` is a clone of this context.
    #[cfg(feature = "rocket")]
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known) && Arc::ptr_eq(&self.made, &other.made)
    }

    pub(crate) fn scoped() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Runs a future with this context. The limited functions that the future calls find the client, the user and the headers
    /// here, and record their decisions here. [`ratelimit::scope`](crate::scope) says which context a function that returns a future
    /// uses.
    pub fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// Does the same as [`scope`](Self::scope), but the type of the returned future has a name.
    pub(crate) fn contextual<F: Future>(self, future: F) -> Contextual<F> {
        CURRENT.scope(self, future)
    }

    /// Runs a function with this context.
    pub(crate) fn sync_scope<R>(&self, run: impl FnOnce() -> R) -> R {
        CURRENT.sync_scope(self.clone(), run)
    }

    /// Returns the address of the client. Behind trusted proxies, it is the address that the proxies report.
    pub fn client_ip(&self) -> Option<IpAddr> {
        self.known.client_ip
    }

    /// Returns the decisions that attributes and layers have made for this request until now. The list contains only the last
    /// decision of each limit, in the order in which the limits were first used.
    pub fn decisions(&self) -> Vec<RecordedDecision> {
        self.made.decisions.lock().last().to_vec()
    }

    /// Reads the decisions without copying them.
    pub(crate) fn with_decisions<R>(&self, read: impl FnOnce(&[RecordedDecision]) -> R) -> R {
        read(self.made.decisions.lock().last())
    }

    /// `None` if the current context was not made for a connection with this peer.
    pub(crate) fn client_ip_behind(peer: PeerAddr) -> Option<IpAddr> {
        Self::read(|context| context.client_ip().filter(|_| context.known.peer == Some(peer)))?
    }

    /// Records decisions. Returns the serial number of the first of these decisions. The other ones have the next numbers.
    pub(crate) fn record(&self, decisions: impl IntoIterator<Item = RecordedDecision>) -> usize {
        let is_counted = |decision: &RecordedDecision| {
            let layers = self.known.layers.iter().filter(|name| **name == decision.name());
            layers.count() > usize::from(decision.name.is_of_layer()) // the layer that decides is one of them
        };
        self.made.decisions.lock().record(decisions, is_counted)
    }

    /// Changes the recorded decision with this serial number. Does nothing if a later decision of the same limit was recorded.
    pub(crate) fn change_record(&self, number: usize, change: impl FnOnce(&mut RecordedDecision)) {
        self.made.decisions.lock().change(number, change);
    }

    /// Notes why a call of this request was not admitted. A later rejection replaces an earlier one.
    pub(crate) fn record_rejection(rejection: &Rejection) {
        let _ = Self::read(|context| *context.made.rejection.lock() = Some(rejection.clone()));
    }

    /// The reason why the last refused call of this request was not admitted.
    pub(crate) fn rejection(&self) -> Option<Rejection> {
        self.made.rejection.lock().clone()
    }
}

// Omits addresses, the user and headers.
opaque!(RequestContext, |this| decisions = this.decisions().len());

impl Rejection {
    /// Returns the answer that a web client receives for this rejection. If the current [`RequestContext`] has a form for its
    /// answers, that form applies. Otherwise, the form that [`install_answers`](crate::answer::install_answers) has set
    /// applies. If no form was set, the answer is plain text.
    ///
    /// The supported frameworks call this method to convert a rejection. Call it for a framework that is not supported:
    ///
    /// ```
    /// # use ratelimit::{Limit, RateLimiter};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let closed = Limit::try_counter(0, std::time::Duration::from_secs(1)).unwrap();
    /// # let rejection = RateLimiter::in_memory().check(&closed, "closed").await.unwrap_err();
    /// let answer = rejection.answer();
    /// assert_eq!((answer.status, answer.retry_after), (429, None));
    /// assert_eq!(answer.content_type, "text/plain; charset=utf-8");
    /// assert_eq!(answer.body, b"too many requests: this limit is closed");
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the closure of [`Answers::custom`](crate::answer::Answers::custom) panics.
    pub fn answer(&self) -> Answer {
        self.answer_in(RequestContext::current().as_ref())
    }

    /// Does the same as [`answer`](Self::answer), for a request with this context.
    pub(crate) fn answer_in(&self, context: Option<&RequestContext>) -> Answer {
        self.set_answered();
        let own = context.and_then(|context| context.known.answers.as_ref());
        Answer::of(self, own, || context.map(RequestContext::decisions).unwrap_or_default())
    }
}
