//! Stops long work at Ctrl-C or `SIGTERM`. A second signal ends the process immediately.

use crate::exit::Exit;
use std::time::Duration;
#[cfg(unix)]
use tokio::signal::unix;
use tokio::sync::watch;

/// Tells long work that it must stop.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Begins to listen for signals.
    pub(crate) fn listen() -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            signal().await;
            // The send fails only if all receivers are dropped.
            let _ = sender.send(true);
            signal().await;
            std::process::exit(Exit::Interrupted as i32);
        });
        Self(receiver)
    }

    /// Whether work must stop.
    pub(crate) fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until work must stop.
    pub(crate) async fn wait(&self) {
        // The sender lives as long as the runtime.
        let _ = self.0.clone().wait_for(|set| *set).await;
    }

    /// Sleeps, or returns earlier because work must stop.
    pub(crate) async fn sleep(&self, time: Duration) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.wait() => {}
        }
    }
}

async fn signal() {
    #[cfg(unix)]
    if let Ok(mut terminate) = unix::signal(unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}
