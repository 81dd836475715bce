//! Counted hops: every peer is a proxy, and the entry with this number from the right is the client.

use super::{PROXY, Section};
use ratelimit::identity::Forwarded;

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "one hop",
        networks: &[],
        hops: Some(1),
        header: Forwarded::XForwardedFor,
        rows: &[
            (PROXY, &["203.0.113.7"], "203.0.113.7"),
            (PROXY, &["6.6.6.6, 203.0.113.7"], "203.0.113.7"),
            (PROXY, &["6.6.6.6", "203.0.113.7"], "203.0.113.7"),
            (PROXY, &["6.6.6.6, 10.0.0.9"], "10.0.0.9"),
            (PROXY, &["6.6.6.6, unknown"], PROXY),
            (PROXY, &["6.6.6.6,"], PROXY),
            (PROXY, &[""], PROXY),
            (PROXY, &[], PROXY),
            ("198.51.100.1", &["203.0.113.7:4711"], "203.0.113.7"),
            ("unix", &["203.0.113.7"], "203.0.113.7"),
            ("::ffff:198.51.100.1", &[], "198.51.100.1"),
        ],
    },
    Section {
        title: "two hops",
        networks: &[],
        hops: Some(2),
        header: Forwarded::XForwardedFor,
        rows: &[
            (PROXY, &["203.0.113.7, 198.51.100.9"], "203.0.113.7"),
            (PROXY, &["6.6.6.6, 203.0.113.7, 198.51.100.9"], "203.0.113.7"),
            (PROXY, &["6.6.6.6, 203.0.113.7", "198.51.100.9"], "203.0.113.7"),
            (PROXY, &["6.6.6.6", "203.0.113.7, 198.51.100.9"], "203.0.113.7"),
            (PROXY, &["198.51.100.9"], PROXY),
            (PROXY, &["unknown, 198.51.100.9"], "198.51.100.9"),
            (PROXY, &["203.0.113.7, unknown"], PROXY),
            (PROXY, &["6.6.6.6, , 198.51.100.9"], "198.51.100.9"),
            (PROXY, &[], PROXY),
        ],
    },
    Section {
        title: "sixteen hops",
        networks: &[],
        hops: Some(16),
        header: Forwarded::XForwardedFor,
        rows: &[
            (
                PROXY,
                &[
                    "6.6.6.6, 203.0.113.7, 1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4, 1.1.1.5, 1.1.1.6, 1.1.1.7, 1.1.1.8, 1.1.1.9, 1.1.1.10, 1.1.1.11, 1.1.1.12, 1.1.1.13, 1.1.1.14, 1.1.1.15",
                ],
                "203.0.113.7",
            ),
            (
                PROXY,
                &[
                    "203.0.113.7, 1.1.1.2, 1.1.1.3, 1.1.1.4, 1.1.1.5, 1.1.1.6, 1.1.1.7, 1.1.1.8, 1.1.1.9, 1.1.1.10, 1.1.1.11, 1.1.1.12, 1.1.1.13, 1.1.1.14, 1.1.1.15",
                ],
                PROXY,
            ),
        ],
    },
    Section {
        title: "two hops of RFC 7239",
        networks: &[],
        hops: Some(2),
        header: Forwarded::Rfc7239,
        rows: &[
            (PROXY, &["for=6.6.6.6, for=203.0.113.7, for=198.51.100.9"], "203.0.113.7"),
            (PROXY, &["for=\"6.6.6.6, for=\"[2001:db8:c::7]:80\", for=198.51.100.9"], "2001:db8:c::7"),
            (PROXY, &["for=203.0.113.7"], PROXY),
            (PROXY, &["for=203.0.113.7, for=_lb"], PROXY),
            (PROXY, &["X-Forwarded-For: 6.6.6.6, 6.6.6.6"], PROXY),
        ],
    },
];
