//! Headers with one address: they must come from a trusted peer, once, and with an address.

use super::{PROXY, Section, of};
use ratelimit::identity::Forwarded;

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "one address",
        rows: &[
            (PROXY, &["203.0.113.7"], "203.0.113.7"),
            (PROXY, &[" 203.0.113.7\t"], "203.0.113.7"),
            (PROXY, &["203.0.113.7:4711"], "203.0.113.7"),
            (PROXY, &["2001:db8:c::7"], "2001:db8:c::7"),
            (PROXY, &["[2001:db8:c::7]:80"], "2001:db8:c::7"),
            (PROXY, &["::ffff:203.0.113.7"], "203.0.113.7"),
            (PROXY, &["10.0.0.9"], "10.0.0.9"),
            ("::ffff:10.0.0.1", &["203.0.113.7"], "203.0.113.7"),
            ("6.6.6.6", &["203.0.113.7"], "6.6.6.6"),
            ("64:ff9b::10.0.0.1", &["6.6.6.6"], "64:ff9b::a00:1"),
            (PROXY, &["203.0.113.7", "X-Forwarded-For: 6.6.6.6"], "203.0.113.7"),
            (PROXY, &["X-Forwarded-For: 6.6.6.6"], PROXY),
        ],
        ..of(Forwarded::Single("cf-connecting-ip"))
    },
    Section {
        title: "no address, or several",
        rows: &[
            (PROXY, &["X-Real-IP: 203.0.113.7"], "203.0.113.7"),
            (PROXY, &["X-Real-IP: 6.6.6.6", "X-Real-IP: 203.0.113.7"], PROXY),
            (PROXY, &["X-Real-IP: 203.0.113.7", "X-Real-IP: 203.0.113.7"], PROXY),
            (PROXY, &["X-Real-IP: ", "X-Real-IP: 6.6.6.6"], PROXY),
            (PROXY, &["X-Real-IP: 6.6.6.6, 203.0.113.7"], PROXY),
            (PROXY, &["X-Real-IP: 203.0.113.7,"], PROXY),
            (PROXY, &["X-Real-IP: "], PROXY),
            (PROXY, &["X-Real-IP: unknown"], PROXY),
            (PROXY, &["X-Real-IP: for=6.6.6.6"], PROXY),
            (PROXY, &["X-Real-IP: \"6.6.6.6\""], PROXY),
            (PROXY, &[], PROXY),
        ],
        ..of(Forwarded::Single("X-Real-IP"))
    },
];
