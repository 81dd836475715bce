//! The terminal: draws snapshots, and reads keys. The terminal is restored at the end, also after an error or a panic.

use super::sampler::Snapshot;
use super::view::{View, draw};
use crate::exit::{Exit, Failure};
use crate::session::Session;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// The thread that waits for keys checks at this interval whether it must end.
const LOOK: Duration = Duration::from_millis(200);

/// Restores the terminal when it is dropped. After a panic, the terminal is restored before the message is printed.
struct Restored(DefaultTerminal);

impl Drop for Restored {
    fn drop(&mut self) {
        // An error cannot be shown, because the terminal is not usable.
        let _ = self.0.show_cursor();
        let _ = ratatui::try_restore();
    }
}

/// Shows snapshots until a key or a signal ends the view.
pub(crate) async fn run(
    mut snapshots: watch::Receiver<Snapshot>,
    seconds: Option<u32>,
    session: &Session,
) -> Result<Exit, Failure> {
    let begun = ratatui::try_init().inspect_err(|_| {
        let _ = ratatui::try_restore();
    });
    let mut terminal = Restored(begun?);
    let mut events = keyboard();
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let mut view = View::new(session.output);
    let mut snapshot = Snapshot::default();
    loop {
        terminal.0.draw(|frame| draw(frame, &snapshot, &mut view))?;
        let late = async {
            match end {
                Some(end) => tokio::time::sleep_until(end.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = snapshots.changed() => {
                if changed.is_err() {
                    return Err(Failure::server("the sampling of keys has ended"));
                }
                if !view.is_paused() {
                    snapshot = snapshots.borrow_and_update().clone();
                }
            }
            event = events.recv() => match event {
                Some(Event::Key(key)) if key.kind == KeyEventKind::Press => {
                    if is_quit(key) {
                        return Ok(Exit::Success);
                    }
                    view.pressed(key.code);
                }
                Some(_) => {}
                None => return Ok(Exit::Success),
            },
            () = session.interrupt.wait() => return Ok(Exit::Interrupted),
            () = late => return Ok(Exit::Success),
        }
    }
}

fn is_quit(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => true,
        KeyCode::Char('c' | 'd') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

/// Events of the keyboard and of the terminal's size, from a thread that waits for them.
fn keyboard() -> mpsc::UnboundedReceiver<Event> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || -> io::Result<()> {
        while !sender.is_closed() {
            if event::poll(LOOK)? && sender.send(event::read()?).is_err() {
                break;
            }
        }
        Ok(())
    });
    receiver
}
