//! Headers whose size and bytes only attackers send. They change no result, and need no memory.

use super::{Sent, limiter, peer};
use ratelimit::RateLimiter;
use ratelimit::identity::Forwarded;

const CLIENT: &str = "203.0.113.7";
const PROXY: &str = "10.0.0.1";

async fn trusting(header: Forwarded<'_>) -> RateLimiter {
    limiter(|builder| builder.trusted_proxies(["10.0.0.0/8"]).forwarded_by(header)).await
}

fn found(limiter: &RateLimiter, sent: &Sent) -> String {
    limiter.client_ip(peer(PROXY), sent).unwrap().to_string()
}

/// Texts that are repeated to fill a header, for `X-Forwarded-For` and for `Forwarded`.
const FILLINGS: [&[u8]; 12] = [
    b"6.6.6.6, ",
    b"10.0.0.9, ",
    b",",
    b" ",
    b"\"",
    b"\\",
    b"\\\"",
    b"a",
    b"for=6.6.6.6, ",
    b"for=\"6.6.6.6",
    b";",
    b"\xff",
];

#[tokio::test]
async fn headers_of_64_kib_change_nothing_and_allocate_nothing() {
    let (list, elements) = (trusting(Forwarded::XForwardedFor).await, trusting(Forwarded::Rfc7239).await);
    let proxy = peer(PROXY);
    for filling in FILLINGS {
        let before: Vec<u8> = filling.iter().copied().cycle().take(64 * 1024).collect();
        for (limiter, name, entry) in
            [(&list, "x-forwarded-for", CLIENT.to_owned()), (&elements, "forwarded", format!("for={CLIENT}"))]
        {
            let appended = [before.as_slice(), b", ", entry.as_bytes()].concat();
            for lines in [vec![appended], vec![before.clone(), entry.clone().into_bytes()]] {
                let sent = Sent::default().with(name, lines);
                let heap = allocation_counter::measure(|| _ = limiter.client_ip(proxy, &sent));
                let after = String::from_utf8_lossy(filling);
                assert_eq!(
                    (found(limiter, &sent).as_str(), heap.count_total),
                    (CLIENT, 0),
                    "after {after:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn thousands_of_lines_change_nothing_and_allocate_nothing() {
    let limiter = trusting(Forwarded::XForwardedFor).await;
    let proxy = peer(PROXY);
    for filling in ["6.6.6.6", "10.0.0.9", "", "unknown"] {
        let sent = Sent::forwarded_for(vec![filling; 5000]).with("x-forwarded-for", [CLIENT, "10.0.0.8"]);
        let heap = allocation_counter::measure(|| _ = limiter.client_ip(proxy, &sent));
        assert_eq!((found(&limiter, &sent).as_str(), heap.count_total), (CLIENT, 0), "after {filling:?}");
    }
}

#[tokio::test]
async fn at_most_32_entries_are_walked() {
    let limiter = trusting(Forwarded::XForwardedFor).await;
    let proxies = |count: u8| (1..=count).rev().map(|last| format!("10.1.1.{last}"));
    for count in [31, 32, 33, 200] {
        let entries: Vec<String> = [CLIENT.to_owned()].into_iter().chain(proxies(count)).collect();
        let expected = if count < 32 { CLIENT } else { "10.1.1.32" };
        assert_eq!(
            found(&limiter, &Sent::forwarded_for([entries.join(", ")])),
            expected,
            "{count} on one line"
        );
        assert_eq!(found(&limiter, &Sent::forwarded_for(entries)), expected, "{count} on lines of their own");
    }
}

#[tokio::test]
async fn an_entry_of_more_than_1024_bytes_ends_the_walk() {
    let (list, elements) = (trusting(Forwarded::XForwardedFor).await, trusting(Forwarded::Rfc7239).await);
    for (length, expected) in [(1024, CLIENT), (1025, "10.0.0.9")] {
        let padded = format!("6.6.6.6,{CLIENT:>length$},10.0.0.9");
        assert_eq!(found(&list, &Sent::forwarded_for([padded])), expected, "{length} bytes");
        let element = format!("for={CLIENT};host=\"{}\"", "x".repeat(length - CLIENT.len() - 12));
        assert_eq!(element.len(), length);
        let sent = Sent::default().with("forwarded", [format!("for=6.6.6.6,{element},for=10.0.0.9")]);
        assert_eq!(found(&elements, &sent), expected, "{length} bytes");
    }
}

#[tokio::test]
async fn bytes_that_are_not_text_end_the_walk() {
    let list = trusting(Forwarded::XForwardedFor).await;
    for bytes in [
        b"\xff".as_slice(),
        b"203.0.113.\xb7",
        b"\xc3\x28",
        b"\0",
        b"203.0.113.7\0",
        b"\x7f",
        b"\xef\xbb\xbf203.0.113.7",
    ] {
        let sent = Sent::forwarded_for([[b"6.6.6.6, ", bytes, b", 10.0.0.9"].concat()]);
        assert_eq!(found(&list, &sent), "10.0.0.9", "{bytes:?}");
        let sent = Sent::forwarded_for([[bytes, b", 203.0.113.7"].concat()]);
        assert_eq!(found(&list, &sent), CLIENT, "{bytes:?}");
        let single = trusting(Forwarded::Single("x-real-ip")).await;
        assert_eq!(found(&single, &Sent::default().with("x-real-ip", [bytes])), PROXY, "{bytes:?}");
        let elements = trusting(Forwarded::Rfc7239).await;
        let element = [b"for=6.6.6.6, for=", bytes, b", for=10.0.0.9"].concat();
        assert_eq!(found(&elements, &Sent::default().with("forwarded", [element])), "10.0.0.9", "{bytes:?}");
    }
}
