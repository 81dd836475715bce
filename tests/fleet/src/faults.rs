//! Causes the faults of a schedule. Failovers and moves of slots take time, so only one of them runs at a time.

use crate::process::Process;
use crate::schedule::{FailOver, Fault, Layout};
use crate::server::{Owners, Role, Server, Slots, Trouble, slot_of};
use crate::world::World;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// The time from the failure of a primary to the election of its replica.
pub(crate) const ELECTION: Duration = Duration::from_millis(300);

pub(crate) fn cause(world: &Arc<World>, fleet: &[Process], fault: Fault) {
    let server = |role| world.in_role(role).1;
    let link = |process: usize, role| &fleet[process].links[world.in_role(role).0];
    match fault {
        Fault::Link { process, server, after, fault } => {
            link(process, server).state().faults.push_back((after, fault));
        }
        Fault::Silence { process, server: Some(server), time } => {
            link(process, server).state().silent_until = Instant::now() + time;
        }
        Fault::Silence { process, server: None, time } => {
            let until = Instant::now() + time;
            fleet[process].links.iter().for_each(|link| link.state().silent_until = until);
        }
        Fault::Stall(role, time) => server(role).state().stalled_until = Instant::now() + time,
        Fault::Reject(role, trouble, time) => {
            let server = server(role);
            server.state().trouble = Some((trouble, Instant::now() + time));
            if matches!(trouble, Trouble::WrongPassword | Trouble::Certificate) {
                server.hang_up();
            }
        }
        Fault::BlackHole { process, server } => link(process, server).lose_connections(),
        Fault::Freeze(time) => drop(tokio::spawn(freeze(Arc::clone(world), time))),
        Fault::ForgetScripts(role) => server(role).state().scripts.clear(),
        Fault::Clock { micros } => {
            world.servers().iter().for_each(|server| server.state().clock_offset += micros);
        }
        Fault::Restart { server: role, down, keeps_keys } => {
            let server = server(role);
            server.stop(keeps_keys);
            tokio::spawn(async move {
                sleep(down).await;
                server.state().is_up = true;
            });
        }
        Fault::Kill(_) => {}
        Fault::FailOver { server, how, lag } => {
            begin(world, |world| async move { fail_over(&world, server, how, lag).await });
        }
        Fault::Move { tag, to, time, lag } => {
            begin(world, |world| async move { move_slot(&world, tag, to, time, lag).await });
        }
    }
}

/// The time from the beginning of a freeze until the machine stands still. During this time, replies arrive at the machine, and
/// nobody reads them.
pub(crate) const ARRIVAL: Duration = Duration::from_millis(3);

/// Lets the machine of all processes stand still. All tasks of the simulation share one runtime, so this function makes the time
/// jump in one step, after the servers have replied to all requests that are under way. After the jump, the runtime notices the
/// replies and the deadlines that have passed at the same time, as a real runtime does.
async fn freeze(world: Arc<World>, time: Duration) {
    // The replies become readable in the same turn of the timers as the deadlines, and before them.
    let arrival = Instant::now() + ARRIVAL;
    world.hold_until(arrival + Duration::from_millis(1));
    sleep_until(arrival).await;
    let mut jump = pin!(tokio::time::advance(time));
    let _ = jump.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}

/// Begins a failover or a move of a slot. Does nothing if another failover or move is under way.
fn begin<F>(world: &Arc<World>, change: impl FnOnce(Arc<World>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if !world.is_changing.swap(true, Ordering::Relaxed) {
        let (changing, ended) = (change(Arc::clone(world)), Arc::clone(world));
        tokio::spawn(async move {
            changing.await;
            ended.is_changing.store(false, Ordering::Relaxed);
        });
    }
}

/// Makes the replica take the place of a primary.
async fn fail_over(world: &World, role: usize, how: FailOver, lag: Duration) {
    let Some(spare) = world.layout.replica() else { return };
    let ((old_at, old), (new_at, new)) = (world.in_role(role), world.in_role(spare));
    let keys = match how {
        FailOver::Planned { .. } => old.keys_before(Duration::ZERO),
        FailOver::Crash { lost, .. } => {
            let keys = old.keys_before(lost);
            old.stop(true);
            sleep(ELECTION).await;
            keys
        }
        FailOver::Split { lost, .. } => {
            sleep(ELECTION).await;
            old.keys_before(lost)
        }
    };
    let owners = world.owners.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let owners: Owners =
        owners.iter().map(|at| if usize::from(*at) == old_at { as_node(new_at) } else { *at }).collect();
    new.promote(
        keys,
        match world.layout {
            Layout::Cluster { any_slot } => {
                Role::Node(Slots::new(as_node(new_at), Arc::clone(&owners), any_slot))
            }
            _ => Role::Primary,
        },
    );
    world.roles().swap(role, spare);
    *world.owners.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&owners);
    if let FailOver::Planned { hangs_up } = how {
        demote(&old, &owners, hangs_up);
    }
    tell(world, new_at, &owners, &old, lag).await;
    match how {
        FailOver::Planned { .. } => {}
        FailOver::Crash { down, .. } => {
            sleep(down).await;
            demote(&old, &owners, true);
            old.state().is_up = true;
        }
        FailOver::Split { lasts, .. } => {
            sleep(lasts).await;
            demote(&old, &owners, true);
        }
    }
}

fn as_node(server: usize) -> u8 {
    u8::try_from(server).unwrap_or(0)
}

fn demote(old: &Server, owners: &Owners, hangs_up: bool) {
    old.become_replica();
    old.learn(Arc::clone(owners));
    if hangs_up {
        old.hang_up();
    }
}

/// Tells the other servers about a failover or a moved slot, one after another.
async fn tell(world: &World, new: usize, owners: &Owners, except: &Arc<Server>, lag: Duration) {
    for server in world.servers().iter().filter(|server| !Arc::ptr_eq(server, except)) {
        server.name_primary(new);
        server.learn(Arc::clone(owners));
        sleep(lag / 3).await;
    }
}

/// Moves a slot key by key, like `CLUSTER SETSLOT` and `MIGRATE`.
async fn move_slot(world: &World, tag: &str, to: usize, time: Duration, lag: Duration) {
    let slot = slot_of(format!("{{{tag}}}").as_bytes());
    let mut owners: Vec<u8> = world.owners.lock().unwrap_or_else(PoisonError::into_inner).to_vec();
    let from_at = owners[usize::from(slot)];
    let (source, (to_at, target)) = (&world.servers()[usize::from(from_at)], world.in_role(to));
    if usize::from(from_at) == to_at {
        return;
    }
    target.with_slots(|slots, _| slots.coming.insert(slot, from_at));
    source.with_slots(|slots, _| slots.leaving.insert(slot, as_node(to_at)));
    loop {
        sleep(time / 3).await;
        if !source.state().is_up || !target.state().is_up {
            sleep(Duration::from_millis(10)).await;
            continue;
        }
        let Some(entry) = source.with_slots(|_, keys| keys.take_of_slot(slot)).flatten() else { break };
        target.with_slots(|_, keys| keys.put(entry));
    }
    owners[usize::from(slot)] = as_node(to_at);
    let owners: Owners = owners.into();
    *world.owners.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&owners);
    for server in [&target, source] {
        server.learn(Arc::clone(&owners));
        server.with_slots(|slots, _| {
            slots.leaving.remove(&slot);
            slots.coming.remove(&slot);
        });
    }
    tell(world, to_at, &owners, source, lag).await;
}
