//! Entries of `X-Forwarded-For`: addresses with commas between them.

use super::address::{is_port, parse};
use super::trim;
use std::net::IpAddr;

pub(super) fn last_comma(line: &[u8]) -> Option<usize> {
    line.iter().rposition(|byte| *byte == b',')
}

pub(super) fn address(entry: &[u8]) -> Option<IpAddr> {
    parse(trim(entry), is_port)
}
