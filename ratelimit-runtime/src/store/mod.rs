//! The one seam between deciding and remembering: a store takes a slice of requests and answers decisions.

pub(crate) mod memory;
pub(crate) mod redis;

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use smallvec::SmallVec;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// One decision per request, in their order; `collect` makes it. One needs no heap.
pub type Decisions = SmallVec<[Decision; 1]>;

/// Where the state of limits lives.
///
/// A store decides in the order in which requests arrive, each atomically, with one clock of its own. A refused
/// request changes nothing. Implementations take what they need from the requests before they return, so that the
/// [`Reply`] borrows nothing and a caller may drop it at any time: then the requests may have been decided or not,
/// and nothing else is affected.
///
/// Errors say by their [`ErrorKind`] whether the failure policy of the limiter may apply. A store needs no deadline
/// of its own: the limiter drops a reply that takes too long.
pub trait Store: Send + Sync + 'static {
    /// Decides requests, and charges those that pass.
    fn decide(&self, requests: &[Request<'_>]) -> Reply<Decisions>;

    /// Answers what [`decide`](Self::decide) would, and charges nothing.
    fn peek(&self, requests: &[Request<'_>]) -> Reply<Decisions>;

    /// Forgets what is in use under these keys.
    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()>;
}

/// One question to a store: may so many units of this limit be taken under this key?
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    key: StoreKey<'a>,
    limit: &'a Limit,
    cost: u32,
    with_next: bool,
}

impl<'a> Request<'a> {
    /// A request that stands for itself.
    #[must_use]
    pub const fn new(key: StoreKey<'a>, limit: &'a Limit, cost: u32) -> Self {
        Self { key, limit, cost, with_next: false }
    }

    /// Makes a stack: this request passes only together with the one that follows it, and is charged only then.
    /// The keys of a stack have to differ, and its last request stands for itself.
    #[must_use]
    pub const fn with_next(self) -> Self {
        Self { with_next: true, ..self }
    }

    /// The key under which the state lives.
    #[must_use]
    pub const fn key(&self) -> &StoreKey<'a> {
        &self.key
    }

    /// The limit to decide by. It comes with the request: a store keeps state, not rules.
    #[must_use]
    pub const fn limit(&self) -> &'a Limit {
        self.limit
    }

    /// The units to take. Zero asks whether the limit is open, and charges nothing.
    #[must_use]
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// Whether this request passes only together with the one that follows it.
    #[must_use]
    pub const fn passes_with_next(&self) -> bool {
        self.with_next
    }
}

/// The stacks of a batch: slices of requests that pass together; most have one.
///
/// # Errors
///
/// A stack without an end, or with a key twice: each member would be judged without the charge of the other.
pub(crate) fn stacks<'s, 'a>(
    requests: &'s [Request<'a>],
) -> Result<impl Iterator<Item = &'s [Request<'a>]>, Error> {
    if requests.last().is_some_and(Request::passes_with_next) {
        return Err(Error::new(
            ErrorKind::Configuration,
            "the last request of a batch has no next one to pass with",
        ));
    }
    let stacks = requests.split_inclusive(|request| !request.with_next);
    for stack in stacks.clone().filter(|stack| stack.len() > 1) {
        for (i, request) in stack.iter().enumerate() {
            if stack[..i].iter().any(|earlier| earlier.key == request.key) {
                return Err(Error::new(
                    ErrorKind::Configuration,
                    "two limits of one stack have the same key",
                ));
            }
        }
    }
    Ok(stacks)
}

/// What a store answers: at once, or when it is awaited.
#[must_use = "a reply may have to be awaited before anything happens"]
pub enum Reply<T> {
    /// The answer is here. It is taken when the reply is awaited.
    Ready(Option<Result<T, Error>>),
    /// The answer needs waiting for.
    Pending(Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>),
}

impl<T> Reply<T> {
    /// A reply that is here already.
    pub const fn ready(answer: Result<T, Error>) -> Self {
        Self::Ready(Some(answer))
    }

    /// A reply that a future will give.
    pub fn pending(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> Self {
        Self::Pending(Box::pin(future))
    }
}

impl<T: Unpin> Future for Reply<T> {
    type Output = Result<T, Error>;

    /// # Panics
    ///
    /// If polled again after it has answered, as futures may.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            #[expect(clippy::expect_used, reason = "the contract of futures")]
            Self::Ready(answer) => Poll::Ready(answer.take().expect("polled after it was ready")),
            Self::Pending(future) => future.as_mut().poll(context),
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Reply::Ready",
            Self::Pending(_) => "Reply::Pending",
        })
    }
}
