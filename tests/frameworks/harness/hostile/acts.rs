//! The acts of a handler that holds a permit, and its answers, for any framework.

use bytes::Bytes;
use fastrand::Rng;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::io;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const ACTS: [&str; 10] = [
    "short",
    "endless",
    "fails",
    "panics",
    "panics-later",
    "slow",
    "whole",
    "no-content",
    "not-modified",
    "too-long",
];

/// Returns a random act for a request.
pub(super) fn random(rng: &mut Rng) -> &'static str {
    rng.choice(ACTS).unwrap_or_default()
}

/// Counts how many bodies exist now, and how many existed at most.
pub(crate) struct Gauge {
    now: AtomicU32,
    most: AtomicU32,
}

/// A body that exists, or a handler that will make one. The permit is returned after this value is dropped.
pub(crate) struct Live(&'static Gauge);

impl Gauge {
    pub(crate) const fn new() -> Self {
        Self { now: AtomicU32::new(0), most: AtomicU32::new(0) }
    }

    pub(crate) fn enter(&'static self) -> Live {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Live(self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.now.load(Ordering::SeqCst) == 0
    }

    pub(super) fn assert_within(&self, most: u32) {
        let seen = self.most.load(Ordering::SeqCst);
        assert!(seen <= most, "{seen} bodies, but {most} permits");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The answer of a handler. Each framework converts it to a response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The value of `content-length`, if it differs from the length of the body.
    pub(crate) length: Option<u64>,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    Whole(Bytes),
    Chunks(Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>),
}

impl Answer {
    /// Performs the act that the path names.
    pub(crate) async fn of(act: &str, gauge: &'static Gauge) -> Self {
        let live = gauge.enter();
        let answer = |body| Self { status: 200, length: None, body };
        match act {
            "short" => answer(chunks(live, 5, End::Ends)),
            "endless" => answer(chunks(live, usize::MAX, End::Ends)),
            "fails" => answer(chunks(live, 3, End::Fails)),
            "panics" => panics(),
            "panics-later" => answer(chunks(live, 3, End::Panics)),
            "slow" => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                answer(Body::Whole(Bytes::from_static(b"late")))
            }
            "whole" => answer(Body::Whole(vec![b'x'; 500_000].into())),
            "no-content" => Self { status: 204, ..answer(chunks(live, 3, End::Ends)) },
            "not-modified" => Self { status: 304, ..answer(Body::Whole(Bytes::new())) },
            "too-long" => Self { length: Some(3000), ..answer(chunks(live, 6, End::Ends)) },
            _ => panic!("unknown act {act}"),
        }
    }
}

#[derive(Clone, Copy)]
enum End {
    Ends,
    Fails,
    Panics,
}

/// Returns a body that sends `count` chunks, one per millisecond.
fn chunks(live: Live, count: usize, end: End) -> Body {
    Body::Chunks(Box::pin(unfold((Some(live), 0), move |(live, sent)| async move {
        let live = live?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        if sent < count {
            return Some((Ok(Bytes::from_static(&[b'x'; 2000])), (Some(live), sent + 1)));
        }
        drop(live);
        match end {
            End::Ends => None,
            End::Fails => Some((Err(io::Error::other("the disk has failed")), (None, sent))),
            End::Panics => panics(),
        }
    })))
}

/// Panics without printing a message.
fn panics() -> ! {
    resume_unwind(Box::new("a panic that the test wants"))
}
