//! Sends each command of a cluster to the node that serves its slot, and follows redirections.

use super::slots::{CANNOT_USE, Slots};
use crate::error::{Error, ErrorKind};
use crate::store::Awaited;
use crate::store::redis::server::{SendError, Session, missing_reply};
use redis::{Cmd, ErrorKind as RedisKind, ServerErrorKind, Value};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of times that a command is sent. The caller also has a deadline.
const ATTEMPTS: u32 = 20;
/// While a slot is being moved, the keys of a command may be on two nodes. After this pause, such a command is sent again.
const WHILE_MOVING: Duration = Duration::from_millis(5);

impl Slots {
    /// The error with which calls fail at once while the node of a slot is unavailable. While it is unavailable, also refreshes
    /// the slot map, because another node may have taken over the slot.
    pub(super) fn unavailable(self: &Arc<Self>, slot: u16) -> Option<Error> {
        let error = match self.known_node(slot) {
            Some(node) => node.unavailable()?,
            None if self.queries_are_slow() => {
                let why = "no node has replied to `CLUSTER SLOTS` in time";
                self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, why)
            }
            None => return None,
        };
        self.refresh();
        Some(error)
    }

    /// Sends a command to the node that serves a slot, and follows the redirections of the nodes.
    pub(super) async fn send(
        self: &Arc<Self>,
        slot: u16,
        command: &Cmd,
        awaited: &Awaited,
    ) -> Result<Value, SendError> {
        let mut node = self.node(slot, awaited).await.map_err(SendError::NotConnected)?;
        let (mut asking, mut may_have_successor) = (false, true);
        let mut left = ATTEMPTS;
        loop {
            let reply = if asking {
                let session = node.session().map_err(SendError::NotConnected)?;
                send_asking(&session, command, awaited).await
            } else {
                node.call(command, awaited).await
            };
            left -= 1;
            let (session, error) = match reply {
                Err(SendError::Failed(session, error)) if left > 0 => (session, error),
                // Nothing was sent, and another node may have taken over the slot.
                Err(SendError::NotConnected(error)) if may_have_successor => {
                    self.refresh();
                    may_have_successor = false;
                    let successor = self.successor(slot, &node, awaited).await;
                    (node, asking) = (successor.ok_or(SendError::NotConnected(error))?, false);
                    continue;
                }
                Err(failed) => {
                    self.refresh();
                    return Err(failed);
                }
                reply => return reply,
            };
            match (error.kind(), error.redirect_node()) {
                (RedisKind::Server(ServerErrorKind::Moved), Some((to, _))) => {
                    (node, asking) = (self.moved(slot, to, session.endpoint()), false);
                }
                (RedisKind::Server(ServerErrorKind::Ask), Some((to, _))) => {
                    (node, asking) = (self.redirected(to, session.endpoint()), true);
                }
                (RedisKind::Server(ServerErrorKind::TryAgain), _) => {
                    tokio::time::sleep(WHILE_MOVING).await;
                }
                _ => {
                    if session.endpoint().explain(&error).is_transient() {
                        self.refresh();
                    }
                    return Err(SendError::Failed(session, error));
                }
            }
        }
    }
}

/// Sends `ASKING` and the command to a node that is about to take over the slot.
async fn send_asking(session: &Arc<Session>, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
    awaited.set(Arc::<Session>::clone(session));
    let mut commands = redis::pipe();
    commands.cmd("ASKING").add_command(command.clone());
    let mut replies = session.send_all(&commands).await?;
    let reply = replies.pop().unwrap_or_else(|| Err(missing_reply()));
    // If the user may not run `ASKING`, the server redirects the command once more. In this case, the error of `ASKING` is
    // returned, because it names the cause.
    let asking = replies.pop().unwrap_or(Ok(Value::Nil));
    reply.map_err(|error| SendError::Failed(Arc::clone(session), asking.err().unwrap_or(error)))
}
