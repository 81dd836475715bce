//! The spoof matrix: settings, a peer and the lines that it sent, and the address that is the client's.
//!
//! Attackers have the address 6.6.6.6 or write it. Real clients are in 203.0.113.0/24 and `2001:db8:c::/48`, and proxies in
//! 10.0.0.0/8 and `2001:db8:ff::/48`.

mod forms;
mod hops;
mod list;
mod rfc7239;
mod rfc7239_quotes;
mod single;
mod trust;

use super::{Sent, limiter, peer};
use ratelimit::RateLimiterBuilder;
use ratelimit::identity::Forwarded;

/// Rows with the same settings.
struct Section {
    title: &'static str,
    networks: &'static [&'static str],
    hops: Option<u8>,
    header: Forwarded<'static>,
    rows: &'static [Row],
}

/// The peer, the lines of the section's header, and the expected address. A line that starts with `Name: ` belongs to another
/// header, or to the section's own under this name.
type Row = (&'static str, &'static [&'static str], &'static str);

/// The trusted networks of most sections.
const NETWORKS: &[&str] = &["10.0.0.0/8", "2001:db8:ff::/48"];
/// A trusted proxy.
const PROXY: &str = "10.0.0.1";
/// The settings of most sections: trusted networks, and this header.
const fn of(header: Forwarded<'static>) -> Section {
    Section { title: "", networks: NETWORKS, hops: None, header, rows: &[] }
}

/// Expected if there is no address.
const NONE: &str = "none";

const SECTIONS: [&[Section]; 7] = [
    trust::SECTIONS,
    list::SECTIONS,
    forms::SECTIONS,
    rfc7239::SECTIONS,
    rfc7239_quotes::SECTIONS,
    hops::SECTIONS,
    single::SECTIONS,
];

impl Section {
    fn name(&self) -> &'static str {
        match self.header {
            Forwarded::Rfc7239 => "forwarded",
            Forwarded::Single(name) => name,
            _ => "x-forwarded-for",
        }
    }

    fn set(&self, builder: RateLimiterBuilder) -> RateLimiterBuilder {
        let builder = if self.networks.is_empty() { builder } else { builder.trusted_proxies(self.networks) };
        match self.hops {
            Some(hops) => builder.trusted_hops(hops).forwarded_by(self.header),
            None if self.networks.is_empty() => builder,
            None => builder.forwarded_by(self.header),
        }
    }

    fn sent(&self, lines: &[&str]) -> Sent {
        lines.iter().fold(Sent::default(), |sent, line| match line.split_once(": ") {
            Some((name, value)) => sent.with(&name.to_ascii_lowercase(), [value]),
            None => sent.with(&self.name().to_ascii_lowercase(), [line]),
        })
    }
}

#[tokio::test]
async fn the_client_is_the_address_that_nobody_can_choose() {
    let mut rows = 0;
    let mut wrong = Vec::new();
    for section in SECTIONS.into_iter().flatten() {
        let limiter = limiter(|builder| section.set(builder)).await;
        for (from, lines, expected) in section.rows {
            let found = limiter.client_ip(peer(from), &section.sent(lines));
            let found = found.map_or(NONE.to_owned(), |address| address.to_string());
            if found != *expected {
                wrong.push(format!("{}: {from} sent {lines:?}: {found}, not {expected}", section.title));
            }
            rows += 1;
        }
    }
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows >= 300, "the matrix has {rows} rows");
}
