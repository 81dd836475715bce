//! `Forwarded`: quotes and escapes, which clients may leave open.

use super::{PROXY, Section, of};
use ratelimit::identity::Forwarded;

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "quoted commas, semicolons and quotes separate nothing",
        rows: &[
            (PROXY, &[r#"for=203.0.113.7;secret="a, for=6.6.6.6""#], "203.0.113.7"),
            (PROXY, &[r#"for=203.0.113.7;secret="a;for=6.6.6.6""#], "203.0.113.7"),
            (PROXY, &[r#"for=203.0.113.7;host="a\", for=6.6.6.6;x=\"""#], "203.0.113.7"),
            (PROXY, &[r#"for=203.0.113.7;host="\\\", for=6.6.6.6;x=\\\"""#], "203.0.113.7"),
            (PROXY, &[r#"for=203.0.113.7;host="ends with a backslash\\""#], "203.0.113.7"),
            (PROXY, &[r#"host="x, y";for=203.0.113.7, for=10.0.0.9;by="a,b""#], "203.0.113.7"),
            (PROXY, &[r#"for="6.6.6.6, for=203.0.113.7""#], PROXY),
            (PROXY, &[r#"for="203.0.113.7, 6.6.6.6", for=10.0.0.9"#], "10.0.0.9"),
            (PROXY, &[r#"for=203.0.113.7;secret="""#], "203.0.113.7"),
            (PROXY, &["for=203.0.113.7;secret=\"\u{e4}\u{f6}\u{fc}\""], "203.0.113.7"),
        ],
        ..of(Forwarded::Rfc7239)
    },
    Section {
        title: "escapes",
        rows: &[
            (PROXY, &[r#"for="203.0.113.7\:80""#], "203.0.113.7"),
            (PROXY, &[r#"for="\2\0\3.0.113.7""#], "203.0.113.7"),
            (PROXY, &[r#"for="\[2001:db8:c::7\]""#], "2001:db8:c::7"),
            (PROXY, &[r#"for="203.0.113.7\\""#], PROXY),
            (PROXY, &[r#"for="203.0.113.7\"""#], PROXY),
            (PROXY, &[r"for=203.0.113.7\"], PROXY),
            (PROXY, &[r"for=203\.0.113.7"], PROXY),
        ],
        ..of(Forwarded::Rfc7239)
    },
    Section {
        title: "a quote that is left open does not reach the entry of a proxy",
        rows: &[
            (PROXY, &[r#"for="6.6.6.6, for=203.0.113.7"#], "203.0.113.7"),
            (PROXY, &[r#"", for=203.0.113.7"#], "203.0.113.7"),
            (PROXY, &[r#"x="\, for=203.0.113.7"#], "203.0.113.7"),
            (PROXY, &[r#"x="\", for=203.0.113.7"#], "203.0.113.7"),
            (PROXY, &[r#"x="\\", for=203.0.113.7"#], "203.0.113.7"),
            (PROXY, &[r#"for="6.6.6.6, for="203.0.113.7:80""#], "203.0.113.7"),
            (PROXY, &[r#"for="6.6.6.6, for=203.0.113.7;host="a""#], "203.0.113.7"),
            (PROXY, &[r#"for="6.6.6.6, for="[2001:db8:c::7]", for=10.0.0.9"#], "2001:db8:c::7"),
            (PROXY, &[r#"for="6.6.6.6"#, "for=203.0.113.7"], "203.0.113.7"),
            (PROXY, &[r#"for=6.6.6.6, for="10.0.0.9"#], PROXY),
            (PROXY, &[r#"for=6.6.6.6, for=10.0.0.9""#], PROXY),
            (PROXY, &[r#"for=6.6.6.6, for="10.0.0.9""""#], PROXY),
            (PROXY, &[r#"for=6.6.6.6, "for=10.0.0.9""#], PROXY),
            (PROXY, &[r#"for=6.6.6.6, for="10.0.0.9"x"#], PROXY),
            (PROXY, &[r#"for=6.6.6.6, x\", for=10.0.0.9;x=""#], PROXY),
        ],
        ..of(Forwarded::Rfc7239)
    },
];
