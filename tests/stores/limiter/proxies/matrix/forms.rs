//! The forms of an address: with and without a port, in brackets, mapped, with a zone.

use super::{PROXY, Section, of};
use ratelimit::identity::Forwarded;

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "forms of an IPv4 address",
        rows: &[
            (PROXY, &["203.0.113.7:80"], "203.0.113.7"),
            (PROXY, &["6.6.6.6:1, 203.0.113.7:65535, 10.0.0.9:443"], "203.0.113.7"),
            (PROXY, &["203.0.113.7:0"], "203.0.113.7"),
            (PROXY, &["203.0.113.7:00080"], "203.0.113.7"),
            (PROXY, &["::ffff:203.0.113.7"], "203.0.113.7"),
            (PROXY, &["::ffff:cb00:7107"], "203.0.113.7"),
            (PROXY, &["0:0:0:0:0:FFFF:203.0.113.7"], "203.0.113.7"),
            (PROXY, &["[::ffff:203.0.113.7]:80"], "203.0.113.7"),
            (PROXY, &["0.0.0.0"], "0.0.0.0"),
            (PROXY, &["255.255.255.255"], "255.255.255.255"),
        ],
        ..of(Forwarded::XForwardedFor)
    },
    Section {
        title: "forms of an IPv6 address",
        rows: &[
            (PROXY, &["2001:db8:c::7"], "2001:db8:c::7"),
            (PROXY, &["2001:DB8:C::7"], "2001:db8:c::7"),
            (PROXY, &["2001:0db8:000c:0000:0000:0000:0000:0007"], "2001:db8:c::7"),
            (PROXY, &["2001:db8:c::80"], "2001:db8:c::80"),
            (PROXY, &["[2001:db8:c::7]"], "2001:db8:c::7"),
            (PROXY, &["[2001:db8:c::7]:443"], "2001:db8:c::7"),
            (PROXY, &["6.6.6.6, [2001:db8:c::7]:443, [2001:db8:ff::5]:80"], "2001:db8:c::7"),
            (PROXY, &["::"], "::"),
            (PROXY, &["::1"], "::1"),
            (PROXY, &["1::"], "1::"),
            (PROXY, &["fe80::7%eth0"], "fe80::7"),
            (PROXY, &["[fe80::7%25eth0]:80"], "fe80::7"),
            (PROXY, &["fe80::7%1"], "fe80::7"),
            (PROXY, &["64:ff9b::203.0.113.7"], "64:ff9b::cb00:7107"),
        ],
        ..of(Forwarded::XForwardedFor)
    },
    Section {
        title: "forms that no address has",
        rows: &[
            (PROXY, &["203.0.113.7:"], PROXY),
            (PROXY, &["203.0.113.7:65536"], PROXY),
            (PROXY, &["203.0.113.7:000080"], PROXY),
            (PROXY, &["203.0.113.7:+80"], PROXY),
            (PROXY, &["203.0.113.7:-1"], PROXY),
            (PROXY, &["203.0.113.7:http"], PROXY),
            (PROXY, &["X-Forwarded-For: 203.0.113.7: 80"], PROXY),
            (PROXY, &["203.0.113.7 :80"], PROXY),
            (PROXY, &["203.0.113.7:_http"], PROXY),
            (PROXY, &["203.0.113.7%eth0"], PROXY),
            (PROXY, &["203.0.113.7/32"], PROXY),
            (PROXY, &["203.0.113"], PROXY),
            (PROXY, &["203.0.113.256"], PROXY),
            (PROXY, &["203.0.113.07"], PROXY),
            (PROXY, &["0xcb.0.113.7"], PROXY),
            (PROXY, &["3405803783"], PROXY),
            (PROXY, &["[203.0.113.7]"], PROXY),
            (PROXY, &["[203.0.113.7]:80"], PROXY),
            (PROXY, &["[2001:db8:c::7"], PROXY),
            (PROXY, &["2001:db8:c::7]"], PROXY),
            (PROXY, &["[2001:db8:c::7]443"], PROXY),
            (PROXY, &["[2001:db8:c::7]:"], PROXY),
            (PROXY, &["[2001:db8:c::7]:99999"], PROXY),
            (PROXY, &["[[2001:db8:c::7]]"], PROXY),
            (PROXY, &["[]"], PROXY),
            (PROXY, &["[2001:db8:c::7%]"], PROXY),
            (PROXY, &["fe80::7%"], PROXY),
            (PROXY, &["2001:db8:c::7::1"], PROXY),
            (PROXY, &["2001:db8:c:::7"], PROXY),
            (PROXY, &[":"], PROXY),
            (PROXY, &["http://203.0.113.7"], PROXY),
        ],
        ..of(Forwarded::XForwardedFor)
    },
];
