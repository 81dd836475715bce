//! Tests of the drawn view, at several widths.

use super::*;
use crate::top::hot::HotKey;
use crate::top::names::Names;
use crate::top::rate::Reading;
use crate::usage::{Known, Usage};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratelimit::store::StoredKey;
use ratelimit::{Algorithm, Decision, Key, Limit, RateLimiter};
use std::time::{Duration, Instant};

fn hot(identity: &str, used: u32, rate: f64) -> HotKey {
    let limiter = RateLimiter::in_memory();
    let key = limiter.store_key(Key::new("login").by(identity), Algorithm::Counter).unwrap();
    let limit: Limit = "counter count=1000 time=1h".parse().unwrap();
    let half = Duration::from_secs(1800);
    let decision = match used {
        1000 => Decision::refuse(&limit, 0, Some(half), half),
        _ => Decision::allow(&limit, 1000 - used, half),
    };
    let usage = Usage { used: Some(used), known: Some(Known { limit, decision }) };
    let (sent, at) = (Instant::now(), Instant::now());
    let reading = Reading { sent, at, usage, level: Some(used) };
    HotKey {
        key: StoredKey::parse("ratelimit", key.as_bytes()).unwrap(),
        bytes: key.as_bytes().to_vec(),
        who: identity.to_owned(),
        reading,
        rate: Some(rate),
    }
}

fn snapshot() -> Snapshot {
    let keys = vec![hot("alice", 1000, 0.5), hot("bob", 250, 123.0)];
    let mut names = Names::default();
    for hot in &keys {
        names.add(&hot.key, &hot.reading.usage, hot.rate);
    }
    Snapshot {
        servers: vec!["127.0.0.1:7000".to_owned(), "127.0.0.1:7001".to_owned()],
        prefix: "p".to_owned(),
        names: names.rows(),
        keys,
        number_of_keys: 2,
        passes: 1,
        last_pass: Some(Duration::from_secs(2)),
        ..Snapshot::default()
    }
}

fn view() -> View {
    View { colors: false, fullest_first: false, paused: false, above: 0 }
}

fn drawn(columns: u16, rows: u16, snapshot: &Snapshot, view: &mut View) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, snapshot, view)).unwrap();
    let cells = terminal.backend().buffer().content();
    cells
        .chunks(columns.into())
        .map(|line| line.iter().map(ratatui::buffer::Cell::symbol).collect())
        .collect()
}

#[test]
fn the_view_fits_80_and_200_columns() {
    for (columns, expected) in [
        (80, "250/1000      123  free in 30 m 0 s       █"),
        (200, "free in 30 m 0 s        ███████▌░░░░░░░░░░░░░░░░░░░░░░"),
    ] {
        let lines = drawn(columns, 24, &snapshot(), &mut view());
        assert!(
            lines[0].starts_with("127.0.0.1:7000 and 1 more  prefix p  2 keys, read in 2.0 s"),
            "{lines:#?}"
        );
        assert!(lines[3].starts_with("NAME") && lines[3].trim_end().ends_with("ALGORITHM"), "{lines:#?}");
        assert!(lines[4].starts_with("login") && lines[4].contains("counter"), "{lines:#?}");
        assert!(
            (columns > 80 || lines[4].contains("124         1")) && lines[4].trim_end().ends_with("counter"),
            "{lines:#?}"
        );
        assert!(
            lines[7].replace('░', " ").contains(&expected.replace('░', " ")),
            "the busiest first: {lines:#?}"
        );
        assert!(lines[8].contains("0.5  refused for 30 m 0 s") || columns > 80, "{lines:#?}");
        assert!(lines[23].starts_with("q quit"), "{lines:#?}");
    }
}

#[test]
fn identities_are_shown_when_asked_for_and_the_order_changes() {
    let snapshot = snapshot();
    let mut view = view();
    assert!(drawn(80, 24, &snapshot, &mut view)[7].starts_with("bob"));
    view.pressed(KeyCode::Char('s'));
    assert!(drawn(80, 24, &snapshot, &mut view)[7].starts_with("alice"));
    view.pressed(KeyCode::Char('p'));
    assert!(view.is_paused() && drawn(80, 24, &snapshot, &mut view)[23].starts_with("PAUSED"));
}

#[test]
fn scrolling_ends_at_the_last_key() {
    let keys: Vec<HotKey> = (0..50).map(|user| hot(&format!("user-{user}"), user, 0.0)).collect();
    let snapshot = Snapshot { keys, ..snapshot() };
    let mut view = view();
    for _ in 0..20 {
        view.pressed(KeyCode::PageDown);
    }
    let lines = drawn(80, 24, &snapshot, &mut view);
    assert!(lines[22].starts_with("user-0 ") && lines[7].starts_with("user-15"), "{lines:#?}");
    view.pressed(KeyCode::Home);
    assert!(drawn(80, 24, &snapshot, &mut view)[7].starts_with("user-49"));
}

#[test]
fn an_error_and_a_tiny_terminal_are_drawn() {
    let snapshot = Snapshot { error: Some("lost the connection".to_owned()), ..snapshot() };
    assert!(drawn(80, 24, &snapshot, &mut view())[1].starts_with("lost the connection"));
    for (columns, rows) in [(1, 1), (10, 3), (40, 6), (80, 2)] {
        drawn(columns, rows, &snapshot, &mut view());
        drawn(columns, rows, &Snapshot::default(), &mut view());
    }
}

#[test]
fn long_names_and_lines_fit_the_screen() {
    let mut snapshot = snapshot();
    snapshot.servers[0] = format!("{}.cache.example.com:6379", "shop".repeat(9));
    snapshot.health.used_memory = 5 << 20;
    for hot in &mut snapshot.keys {
        let long = format!("ratelimit:{{{}}}:checkout::payments::create_payment_intent:c2", "u".repeat(60));
        hot.key = StoredKey::parse("ratelimit", long.as_bytes()).unwrap();
        hot.who = "u".repeat(60);
    }
    let lines = drawn(80, 24, &snapshot, &mut view());
    assert!(lines[0].trim_end().ends_with("and 1 more  prefix p"), "{lines:#?}");
    assert!(lines[1].trim_end().ends_with("5 MB used"), "{lines:#?}");
    assert!(lines[7].starts_with("uuu") && lines[7].contains("checko…_intent "), "{lines:#?}");
    let lines = drawn(200, 24, &snapshot, &mut view());
    assert!(lines[7].contains("checkout::payments::create_payment_intent "), "{lines:#?}");
}
