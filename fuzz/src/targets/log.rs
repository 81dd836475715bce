//! Fuzz target `log`: access logs and tables of calls, as `ratelimit simulate` reads them.

use ratelimit_cli::read_log;

pub(super) fn run(log: &[u8]) {
    // A row may stand for ten million calls.
    let is_large = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    if log.windows(5).any(is_large) && !log.contains(&b'"') {
        return;
    }
    if let Ok(calls) = read_log(log) {
        assert!(calls > 0, "a log without calls is reported as one with calls");
    }
}
