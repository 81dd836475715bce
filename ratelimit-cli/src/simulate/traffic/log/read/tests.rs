//! Tests of reading a log: which lines become calls, which lines are left out, and which logs are errors.

use super::*;
use crate::simulate::traffic::log::selection::status;

fn line(second: u32, address: &str, user: &str, path: &str) -> String {
    format!("{address} - {user} [22/Nov/2026:12:36:{second:02} +0100] \"GET {path} HTTP/1.1\" 200 7\n")
}

fn traffic(text: &str, selection: &Selection) -> Result<Traffic, String> {
    read(text.as_bytes(), "a.log", selection)
}

#[test]
fn lines_become_calls_in_the_order_of_their_times() {
    let text = [
        line(10, "203.0.113.7", "ann", "/a"),
        "nonsense\n".to_owned(),
        line(13, "203.0.113.8", "-", "/a"),
        "\n".to_owned(),
        line(11, "203.0.113.7", "ann", "/b"),
    ]
    .concat();
    let found = traffic(&text, &Selection::default()).unwrap();
    let calls = [(0, 0), (1, 0), (3, 1)].map(|(at, caller)| Call { at: at * SECOND, caller });
    assert_eq!(found.calls, calls);
    let (start, zone) = (Timestamp::from_second(1_795_347_370), Offset::from_seconds(3600));
    assert_eq!(found.origin, Origin::Log { start: start.unwrap(), zone: zone.unwrap() });
    assert_eq!(found.words, "3 calls in 4s of a.log, 2 addresses");
    assert!(found.notes[0].starts_with("Broken lines, which were left out: 1 of 4."), "{:?}", found.notes);
    assert!(found.notes[0].contains("line 2: it does not begin"), "{:?}", found.notes);
    assert!(found.notes[1].contains("before them: 1, by") && found.notes[1].contains("up to 2 s"));
}

#[test]
fn users_and_paths_select_lines() {
    let text = [
        line(10, "203.0.113.7", "ann", "/login"),
        line(11, "203.0.113.7", "-", "/login"),
        line(12, "203.0.113.8", "ann", "/home"),
    ]
    .concat();
    let selection = Selection { by: By::User, path: Some("/login".to_owned()), statuses: Vec::new() };
    let found = traffic(&text, &selection).unwrap();
    assert_eq!((found.calls.len(), found.callers.len()), (1, 1));
    assert!(found.notes[0].contains("another path: 1."), "{:?}", found.notes);
    assert!(found.notes[1].contains("which were left out: 1."), "{:?}", found.notes);
    let error = traffic(&text, &Selection { path: Some("/x".to_owned()), ..selection }).unwrap_err();
    assert_eq!(error, "none of its 3 readable lines fits `--path`, `--status` and `--by`");
}

#[test]
fn a_table_becomes_calls() {
    let text =
        "caller,time,calls,seconds\n\"ann\",100,3,60\nbob,100,1,1\n,100,1,1\nann,now,1,1\nann,90,2,1\n";
    let found = traffic(text, &Selection::default()).unwrap();
    let calls = [(0, 0), (0, 0), (10, 0), (10, 1), (30, 0), (50, 0)];
    assert_eq!(found.calls, calls.map(|(at, caller)| Call { at: at * SECOND, caller }));
    assert_eq!(found.words, "6 calls in 51s of a.log, 2 callers");
    let notes = found.notes.join(" ");
    for says in [
        "left out: 1 of 5. The first one is line 5: its `time`",
        "without a caller, which were left out: 1",
        "1, by up to 10 s",
        "spread evenly",
    ] {
        assert!(notes.contains(says), "{says}: {notes}");
    }
    for (text, selection, says) in [
        ("time,caller\n", Selection::default(), "it is empty"),
        ("time,caller\nx,y\n", Selection::default(), "none of its 1 rows can be read; line 2: its `time`"),
        ("time,caller\n5,\n", Selection::default(), "none of its 1 readable rows has a caller"),
        (
            "time,caller\n5,a\n",
            Selection { path: Some("/".to_owned()), ..Selection::default() },
            "leave out `--path`",
        ),
    ] {
        let error = traffic(text, &selection).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_log_without_calls_is_an_error() {
    let error = |text: &str| traffic(text, &Selection::default()).unwrap_err();
    assert_eq!(error("\n\n"), "it is empty");
    assert!(
        error("a b c\nd\n")
            .starts_with("none of its 2 lines is in the combined format; line 1: it has no time")
    );
    assert!(error("\u{1f}\n").contains("line 1: it does not begin"));
    let compressed = read(&[0x1f, 0x8b, 8, 0, 10][..], "a.gz", &Selection::default()).unwrap_err();
    assert!(compressed.contains("zcat FILE"), "{compressed}");
}

#[test]
fn calls_of_another_year_are_left_out() {
    let usual = |second| line(second, "203.0.113.7", "-", "/");
    let of = |year: &str| line(10, "203.0.113.9", "-", "/").replace("2026", year);
    let text = of("1970") + &usual(10) + &of("2038") + &usual(11);
    let found = traffic(&text, &Selection::default()).unwrap();
    assert_eq!((found.calls.len(), found.callers.len(), found.length), (2, 1, 2 * SECOND));
    assert_eq!(found.notes[0], "Calls of another year than most others, which were left out: 2.");
    let year = of("2026").replace("22/Nov", "01/Jan") + &of("2026").replace("22/Nov", "31/Dec");
    assert_eq!(traffic(&year, &Selection::default()).unwrap().calls.len(), 2);
}

#[test]
fn statuses_select_lines() {
    let with = |status: &str| line(10, "203.0.113.7", "-", "/login").replace(" 200 ", &format!(" {status} "));
    let text = ["200", "401", "403", "429", "500"].map(with).concat();
    let calls = |statuses: &[&str]| {
        let statuses = statuses.iter().map(|wanted| status(wanted).unwrap()).collect();
        traffic(&text, &Selection { statuses, ..Selection::default() })
    };
    for (statuses, expected) in [(&["401", "403"][..], 2), (&["4xx"], 3), (&["4xx", "5xx"], 4), (&[], 5)] {
        assert_eq!(calls(statuses).unwrap().calls.len(), expected, "{statuses:?}");
    }
    let found = calls(&["401", "403"]).unwrap();
    assert!(found.words.starts_with("2 calls with status 401,403 in 1s"), "{}", found.words);
    assert_eq!(found.notes[0], "Lines with another status: 3.");
    assert!(calls(&["302", "307"]).unwrap_err().starts_with("none of its 5 readable lines fits"));
    for wrong in ["40", "4x1", "xxx", "4xxx", ""] {
        assert!(status(wrong).is_err(), "{wrong}");
    }
    let table = traffic(
        "time,caller
5,a
",
        &Selection { statuses: vec!["4xx".to_owned()], ..Selection::default() },
    );
    assert!(table.unwrap_err().contains("leave out `--status`"));
}
