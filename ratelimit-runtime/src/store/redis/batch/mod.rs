//! Group commit: calls that arrive while another call is under way are sent together, in one script call.
//!
//! This file starts a call, which sends its request itself or waits for a worker. Each module imports only from those before
//! it: [`merge`], [`group`], [`worker`]. This file imports from all of them.

mod group;
mod merge;
mod worker;

use crate::error::{Error, ErrorKind};
use crate::store::redis::client::Client;
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::{CallOutcome, CallSender, Entered, PendingCall, QUEUE_CAPACITY, Receiver};
use crate::store::{Decisions, MissedDeadline};
use std::sync::Arc;
use std::time::Instant;

pub(crate) use merge::is_batchable;

/// Decides about the request of a call. If the future is dropped before the request was sent, it is not sent.
pub(crate) async fn decide(client: Arc<Client>, call: Arc<PendingCall>) -> Result<Decisions, Error> {
    let item = call.item();
    let session =
        client.topology().session(|| key_slot(item.request().key().as_bytes()), item.awaited()).await?;
    // The large future is boxed, so that the future of a waiting call is small.
    let decide_directly = async || {
        let request = item.request();
        Box::pin(client.decide_one(item.mode(), request, item.awaited())).await
    };
    match session.queue().enter(|| CallSender::new(&call), Instant::now) {
        Entered::Direct(_under_way) => return decide_directly().await,
        Entered::Queued(None) => {}
        Entered::Queued(Some(worker)) => {
            tokio::spawn(worker::run(Arc::clone(&client), Arc::clone(&session), worker));
        }
        Entered::Full => {
            let why = format_args!("at most {QUEUE_CAPACITY} calls may wait");
            return Err(client.endpoint().error(ErrorKind::Unavailable, "too many calls wait for", why));
        }
    }
    item.waits_for(Arc::clone(&session) as Arc<dyn MissedDeadline>);
    match Receiver(&call).await {
        CallOutcome::Replied(decided) => {
            session.received(&decided);
            decided.map(Decisions::one)
        }
        CallOutcome::NotSent => decide_directly().await,
    }
}
