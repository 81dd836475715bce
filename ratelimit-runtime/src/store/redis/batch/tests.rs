//! Tests of merged requests: which requests are merged, and which decision each of them receives.

use super::is_batchable;
use super::merge::Merged;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::redis::script::{FOREIGN_KEY, InvalidReply, NEVER};
use crate::store::{Mode, Request};
use redis::Value;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const PLAIN: Limit = Limit::counter(9, MINUTE);

fn request(key: &str, limit: Limit, cost: u32) -> Request {
    Request::new(StoreKey::new(key.as_bytes()), limit, cost)
}

/// Returns a reply with these numbers, in the form in which a script writes them.
#[expect(clippy::cast_precision_loss, reason = "integers of at most 2^53")]
fn reply(numbers: &[i64]) -> Value {
    Value::BulkString(numbers.iter().flat_map(|number| (*number as f64).to_le_bytes()).collect())
}

#[test]
fn equal_requests_are_merged_unless_another_is_between_them() {
    let waits = Limit::counter(9, MINUTE).wait(MINUTE);
    for (mode, limit, requests, entries, differ) in [
        (Mode::Check, PLAIN, "a1 b1 a1 b1", 2, 2),
        (Mode::Check, PLAIN, "a1 b1 a2 b1 a1", 4, 2),
        (Mode::Check, PLAIN, "a2 a2 a2", 1, 1),
        (Mode::Check, PLAIN, "a0 a0", 2, 1),
        (Mode::Check, waits, "a1 a1", 2, 1),
        (Mode::Charge, PLAIN, "a1 a1 b1", 3, 1),
    ] {
        let requests: Vec<_> = requests.split(' ').map(|request| request.split_at(1)).collect();
        let requests = requests.iter().map(|(key, cost)| self::request(key, limit, cost.parse().unwrap()));
        let requests: Vec<_> = requests.collect();
        let requests: Vec<_> = requests.iter().collect();
        let merged = Merged::new(mode, &requests);
        assert_eq!((merged.len(), merged.read_at_once(&requests)), (entries, differ), "{requests:?}");
    }
}

#[test]
fn callers_that_share_a_bucket_are_sent_together_and_each_receives_its_own_numbers() {
    let bucket = Limit::token_bucket(5, MINUTE);
    let callers = [7, 8, 7].map(|caller| request("a", bucket, 1).with_caller(caller));
    let requests: Vec<&Request> = callers.iter().collect();
    let merged = Merged::new(Mode::Check, &requests);
    let mut command = redis::Cmd::new();
    merged.encode(&requests, false, &mut command);
    let sent = String::from_utf8(command.get_packed_command()).unwrap();
    let sent: Vec<&str> = sent.split("\r\n").skip(2).step_by(2).collect();
    let of_callers = "0/4/60000/000000000000000700000000000000080000000000000007";
    assert_eq!(
        sent,
        [
            "3",
            "a",
            "a:fair-a",
            "a:fair-b",
            "check",
            "1",
            "token_bucket",
            "1",
            "12000",
            "5",
            "0",
            "-3",
            "1",
            of_callers
        ]
    );
    let longest = 60_000;
    let scarce = reply(&[-1, 2 * (longest + 1) + 36_000, -24_000, 2, 36_000, longest + 1 + 48_000]);
    let all_pass = reply(&[3, 1, 48_000, 0]);
    for (reply, expected) in
        [(scarce, [(None, 2), (Some(24), 2), (None, 1)]), (all_pass, [(None, 3), (None, 2), (None, 1)])]
    {
        let mut replies = merged.replies(&reply, false).ok().unwrap();
        let found = [0, 1, 2].map(|at| {
            let decision = replies.next(at, requests[at]).unwrap().ok().unwrap();
            (decision.retry_after().map(|retry| retry.as_secs()), decision.remaining())
        });
        assert_eq!(found, expected);
    }
    // Without callers, or under another limit, requests are not in the same run.
    let [alone, shared] = [request("a", bucket, 1), request("a", bucket, 1).with_caller(7)];
    assert_eq!(Merged::new(Mode::Check, &[&alone, &shared]).len(), 2);
    assert!(request("a", PLAIN, 1).with_caller(7).caller().is_none(), "a window cannot be shared");
}

#[test]
fn each_merged_request_receives_its_own_numbers() {
    let blocks = Limit::counter(9, MINUTE).block(&[MINUTE]);
    for (limit, reset, of_refused) in [(PLAIN, 3000, 3000), (blocks, 3000, 5000), (blocks, 7000, 7000)] {
        let request = request("a", limit, 2);
        let requests = [&request; 3];
        let merged = Merged::new(Mode::Check, &requests);
        let reply = reply(&[2, 1, reset, -5000]);
        let mut replies = merged.replies(&reply, false).ok().unwrap();
        let mut next = |at| {
            let decision = replies.next(at, &request).unwrap().ok().unwrap();
            (decision.retry_after(), decision.remaining(), decision.reset_after())
        };
        let ms = |ms: i64| Duration::from_millis(ms.try_into().unwrap());
        assert_eq!([next(0), next(1)], [(None, 3, ms(reset)), (None, 1, ms(reset))]);
        let left = u32::from(limit != blocks);
        assert_eq!(next(2), (Some(ms(5000)), left, ms(of_refused)));
    }
}

/// Only a refusal begins a block. An admitted request has its remaining units, and the stamp that a refund needs.
#[test]
fn an_admitted_request_of_a_limit_with_a_block_keeps_its_numbers() {
    let limit = Limit::counter(9, MINUTE).block(&[MINUTE]);
    for (mode, numbers) in [(Mode::Check, [4 * 60_001 + 3000].as_slice()), (Mode::Charge, &[0, 4, 3000, 77])]
    {
        let request = request("a", limit, 2);
        let reply = reply(numbers);
        let merged = Merged::new(mode, &[&request]);
        let mut replies = merged.replies(&reply, false).ok().unwrap();
        let decision = replies.next(0, &request).unwrap().ok().unwrap();
        let stamp = if mode == Mode::Charge { 77 } else { 0 };
        assert_eq!((decision.remaining(), decision.reset_after().as_millis()), (4, 3000), "{mode:?}");
        assert_eq!(decision.stamp(), stamp, "{mode:?}");
    }
}

/// A request above the capacity closes no gate, so all units stay free for other requests.
#[test]
fn merged_requests_that_never_pass_find_all_units_left() {
    let request = request("a", Limit::counter(9, MINUTE).block(&[MINUTE]), 10);
    let merged = Merged::new(Mode::Check, &[&request; 2]);
    let reply = reply(&[0, 9, 0, -NEVER]);
    let mut replies = merged.replies(&reply, false).ok().unwrap();
    for at in [0, 1] {
        let decision = replies.next(at, &request).unwrap().ok().unwrap();
        assert_eq!((decision.retry_after(), decision.remaining()), (None, 9));
    }
}

#[test]
fn a_reply_that_no_script_sends_is_an_error() {
    let request = request("a", PLAIN, 1);
    let requests = [&request; 3];
    let merged = Merged::new(Mode::Check, &requests);
    for (passing, delay, is_valid) in [
        (2, -5, true),
        (3, 0, true),
        (0, -5, true),
        (4, 0, false),
        (-1, -5, false),
        (2, 0, false),
        (3, 5, false),
    ] {
        let reply = reply(&[passing, 0, 3000, delay]);
        assert_eq!(merged.replies(&reply, false).is_ok(), is_valid, "{passing}, {delay}");
    }
}

#[test]
fn a_foreign_key_may_be_elsewhere() {
    let (a, b, c) = (request("a", PLAIN, 1), request("b", PLAIN, 1), request("c", PLAIN, 1));
    let requests = [&a, &b, &c];
    let merged = Merged::new(Mode::Check, &requests);
    let reply = reply(&[-FOREIGN_KEY, 0, 0, -5000, 0, 5000, -FOREIGN_KEY, 0, 0]);
    for is_any_slot in [true, false] {
        let mut replies = merged.replies(&reply, is_any_slot).ok().unwrap();
        assert_eq!(replies.are_mostly_elsewhere(), is_any_slot);
        assert_eq!(replies.next(0, &a).is_none(), is_any_slot);
        assert!(replies.next(1, &b).unwrap().is_ok());
        assert!(replies.next(2, &c).is_none_or(|decision| decision.is_err()));
    }
    let half = self::reply(&[-FOREIGN_KEY, 0, 0, -5000, 0, 5000]);
    let merged = Merged::new(Mode::Check, &requests[..2]);
    assert!(!merged.replies(&half, true).ok().unwrap().are_mostly_elsewhere());
}

/// A server that refuses to write has decided about the key, so the request is not sent again.
#[test]
fn a_request_that_cannot_be_written_is_not_elsewhere() {
    let request = request("a", PLAIN, 1);
    let merged = Merged::new(Mode::Check, &[&request; 2]);
    let reply = reply(&[0, 1, 0, -FOREIGN_KEY]);
    let mut replies = merged.replies(&reply, true).ok().unwrap();
    assert!(!replies.are_mostly_elsewhere());
    for at in [0, 1] {
        assert!(matches!(replies.next(at, &request), Some(Err(InvalidReply::NotWritten("OOM")))));
    }
}

#[test]
fn stacks_permits_and_peeks_are_sent_by_themselves() {
    let plain = request("a", PLAIN, 1);
    let permit = request("a", Limit::concurrency(9, MINUTE), 1);
    let mut stacked = plain.clone();
    stacked.join_next();
    for (mode, request, expected) in [
        (Mode::Check, &plain, true),
        (Mode::Charge, &plain, true),
        (Mode::Peek, &plain, false),
        (Mode::Charge, &permit, false),
        (Mode::Check, &stacked, false),
    ] {
        assert_eq!(is_batchable(mode, request), expected, "{request:?}");
    }
}
