use super::*;
use OnError::{Allow, Deny, Local};

fn status(servers: u32, reachable: u32, kind: Option<ErrorKind>, on_error: OnError) -> Status {
    let error = kind.map(|kind| Error::of_server(kind, "Redis at 10.0.0.7:6379 is gone".to_owned()));
    let unreachable_for = error.is_some().then_some(Duration::from_millis(12_345));
    Status {
        off: false,
        servers,
        reachable,
        unreachable_for,
        error,
        has_decided: false,
        calls_failed: false,
        on_error,
        denying: Vec::new(),
    }
}

#[test]
fn a_status_says_what_happens_to_calls_and_no_address() {
    let (unavailable, timeout, wrong) =
        (Some(ErrorKind::Unavailable), Some(ErrorKind::Timeout), Some(ErrorKind::Configuration));
    for (status, ready, fallback, says) in [
        (status(1, 1, None, Deny), true, None, "the store is reachable"),
        (
            status(1, 0, timeout, Local),
            true,
            Some(Local),
            "the store is unreachable, for 12 s (no reply in time): the memory of this process decides instead",
        ),
        (
            status(1, 0, unavailable, Allow),
            true,
            Some(Allow),
            "the store is unreachable, for 12 s (unavailable): calls pass undecided",
        ),
        (
            status(1, 0, unavailable, Deny),
            false,
            Some(Deny),
            "the store is unreachable, for 12 s (unavailable): calls are rejected",
        ),
        (
            status(1, 0, wrong, Allow),
            false,
            None,
            "the store is unreachable, for 12 s (wrong configuration): calls are rejected",
        ),
        (
            Status { has_decided: true, ..status(1, 0, wrong, Allow) },
            true,
            Some(Allow),
            "the store is unreachable, for 12 s (degraded: the server refuses this process): calls pass undecided",
        ),
        (
            Status { has_decided: true, ..status(1, 0, wrong, Deny) },
            false,
            Some(Deny),
            "the store is unreachable, for 12 s (degraded: the server refuses this process): calls are rejected",
        ),
        (
            status(3, 2, unavailable, Deny),
            true,
            Some(Deny),
            "2 of 3 servers of the store are reachable, for 12 s (unavailable): calls are rejected",
        ),
        (
            Status { calls_failed: true, ..status(1, 1, None, Local) },
            true,
            Some(Local),
            "the store is reachable, but calls of the last second failed: the memory of this process decides instead",
        ),
        (
            Status { denying: vec!["login"], ..status(1, 0, timeout, Local) },
            true,
            Some(Local),
            "the store is unreachable, for 12 s (no reply in time): the memory of this process decides instead; 1 limit rejects its calls",
        ),
        (
            Status { denying: vec!["login", "pay"], calls_failed: true, ..status(1, 1, None, Allow) },
            true,
            Some(Allow),
            "the store is reachable, but calls of the last second failed: calls pass undecided; 2 limits reject their calls",
        ),
        (
            Status { denying: vec!["login"], ..status(1, 1, None, Local) },
            true,
            None,
            "the store is reachable",
        ),
        (
            Status { off: true, on_error: Deny, ..Status::of(Vec::new()) },
            true,
            None,
            "limits are off: every call passes",
        ),
    ] {
        assert_eq!(status.to_string(), says);
        assert_eq!((status.is_ready(), status.fallback()), (ready, fallback), "{status:?}");
        assert!(!format!("{status} {status:?} {status:#?}").contains("10.0.0.7"), "{status:?}");
        assert!(status.error().is_none_or(|error| error.to_string().contains("10.0.0.7")));
    }
}
