//! The spoof matrix: settings, a peer and the header lines that it sent, and the address that must be the client's.
//!
//! `matrix.txt` has a section for each setting. The heading has a title, the header, and the trusted peers: nobody, networks,
//! or a number of hops. Each row has a peer, the lines of the header, and the expected address. If a line starts with `Name: `,
//! it belongs to the header with this name. The sign ␉ is a tab.
//!
//! Attackers have the address 6.6.6.6, or write it into a header. Real clients have addresses in 203.0.113.0/24 and
//! `2001:db8:c::/48`, and proxies have addresses in 10.0.0.0/8 and `2001:db8:ff::/48`.

use super::{Sent, limiter, peer};
use ratelimit::RateLimiterBuilder;
use ratelimit::identity::Forwarded;

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(|part| part.replace('␉', "\t"))
}

fn set(builder: RateLimiterBuilder, header: &str, trust: &str) -> RateLimiterBuilder {
    let builder = match trust.split_once(" hops") {
        _ if trust == "nobody" => return builder,
        Some((hops, _)) => builder.trusted_hops(hops.parse().unwrap()),
        None => builder.trusted_proxies(quoted(trust)),
    };
    builder.forwarded_by(match header {
        "X-Forwarded-For" => Forwarded::XForwardedFor,
        "Forwarded" => Forwarded::Rfc7239,
        name => Forwarded::Single(name),
    })
}

fn sent(header: &str, lines: &str) -> Sent {
    quoted(lines).fold(Sent::default(), |sent, line| {
        let (name, value) = line.split_once(": ").unwrap_or((header, &line));
        sent.with(&name.to_ascii_lowercase(), [value])
    })
}

#[tokio::test]
async fn the_client_is_the_address_that_nobody_can_choose() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for section in include_str!("matrix.txt").split("\n# ").skip(1) {
        let (settings, requests) = section.split_once('\n').unwrap();
        let [title, header, trust] = settings.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{settings}");
        };
        let limiter = limiter(|builder| set(builder, header, trust)).await;
        for row in requests.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
            let (request, expected) = row.rsplit_once(" -> ").unwrap();
            let (from, lines) = request.split_once(' ').unwrap_or((request, ""));
            let found = limiter.client_ip(peer(from), &sent(header, lines));
            let found = found.map_or("none".to_owned(), |address| address.to_string());
            if found != expected {
                wrong.push(format!("{title}: {row}: {found}"));
            }
            rows += 1;
        }
    }
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows >= 300, "the matrix has {rows} rows");
}
