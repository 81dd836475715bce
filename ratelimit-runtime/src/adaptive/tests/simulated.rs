//! What users feel while servers are overloaded: waiting, use, and the important calls.

use super::server::{Scene, run};

fn forty(_: f64) -> usize {
    40
}

fn twenty_ms(_: f64) -> f64 {
    0.02
}

const PLAIN: Scene = Scene {
    name: "exponential",
    workers: forty,
    work: |_, random| 0.02 * random.exponential(),
    mean: twenty_ms,
    important: 0.3,
    passes: 0.99,
};

/// Runs a server at 3 and 15 times its load, and checks the promises of the guide.
fn check(scene: Scene, seconds: f64) {
    for (load, seed) in [(3.0, 1), (3.0, 2), (15.0, 3)] {
        let felt = run(scene, load, seconds, seed);
        let name = scene.name;
        assert!(felt.waiting <= 2.0, "{name}, {load} times, seed {seed}: {felt:?}");
        assert!(felt.used >= 0.9, "{name}, {load} times, seed {seed}: {felt:?}");
        assert!(felt.important >= scene.passes, "{name}, {load} times, seed {seed}: {felt:?}");
    }
}

#[test]
fn latencies_of_one_mode() {
    check(PLAIN, 60.0);
    check(Scene { name: "narrow", work: |_, random| 0.02 * random.log_normal(0.2), ..PLAIN }, 60.0);
    check(Scene { name: "noisy", work: |_, random| 0.02 * random.log_normal(1.0), ..PLAIN }, 60.0);
}

#[test]
fn latencies_of_two_modes() {
    let two = Scene {
        name: "one of ten is 31 times slower",
        work: |_, random| if random.unit() < 0.9 { 0.005 } else { 0.155 },
        passes: 0.95,
        ..PLAIN
    };
    check(two, 180.0);
}

#[test]
fn small_servers() {
    check(Scene { name: "eight workers", workers: |_| 8, ..PLAIN }, 60.0);
}

#[test]
fn a_server_that_loses_workers_and_gets_them_back() {
    let workers = |now: f64| if (20.0..60.0).contains(&now) { 10 } else { 40 };
    check(Scene { name: "workers", workers, important: 0.075, ..PLAIN }, 90.0);
}

/// The work itself becomes slower. A limit that takes this for a queue shrinks until it serves nobody.
#[test]
fn a_server_that_becomes_slower_and_faster_again() {
    let mean = |now: f64| if (20.0..60.0).contains(&now) { 0.06 } else { 0.02 };
    let work = |now: f64, random: &mut super::server::Random| {
        let mean = if (20.0..60.0).contains(&now) { 0.06 } else { 0.02 };
        mean * random.exponential()
    };
    check(Scene { name: "slower", mean, work, important: 0.1, ..PLAIN }, 90.0);
}
