//! Who calls what, and what comes of it.

use crate::client::{self, Answer};
use hyper::Method;
use ratelimit::{AsKey, Key, Limit, RateLimiter};
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The limits of server.rs once more, because `peek` is asked from outside of the handlers.
const LOGIN: Limit = Limit::counter(5, Duration::from_secs(60));
const REPORT: Limit = Limit::token_bucket(6, Duration::from_secs(60)).burst(3);

/// The addresses that requests come from.
pub(crate) const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub(crate) const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// The calls of one handler.
pub(crate) struct Scene {
    /// As it is written above the handler.
    pub(crate) attribute: String,
    pub(crate) noun: &'static str,
    /// How fast the calls come, in the words of this limit.
    pub(crate) pace: &'static str,
    /// The most calls that one identity can have at once.
    pub(crate) capacity: u32,
    pub(crate) visits: Vec<Visit>,
}

/// The calls that share one limit, because they have the same identity or template value.
pub(crate) struct Visit {
    pub(crate) who: String,
    pub(crate) calls: Vec<Call>,
}

/// One request and its answer.
pub(crate) struct Call {
    pub(crate) caller: IpAddr,
    pub(crate) request: String,
    pub(crate) answer: Answer,
    /// Units that are left after it; `None` if the store could not say.
    pub(crate) remaining: Option<u32>,
}

/// Sends requests to a running server.
pub(crate) struct Story<'a> {
    pub(crate) server: SocketAddr,
    pub(crate) limiter: &'a RateLimiter,
}

impl Story<'_> {
    /// First the logins, then the reports.
    pub(crate) async fn tell(&self) -> Result<[Scene; 2], Box<dyn Error>> {
        let [login, report] = attributes();
        let mut logins = vec![self.logins(HOME, 6).await?];
        if client::can_call_from(OTHER) {
            logins.push(self.logins(OTHER, 2).await?);
        }
        let reports = vec![self.reports("acme", 4).await?, self.reports("globex", 1).await?];
        Ok([
            Scene {
                attribute: login,
                noun: "login",
                pace: "within a minute",
                capacity: LOGIN.capacity(),
                visits: logins,
            },
            Scene {
                attribute: report,
                noun: "report",
                pace: "in a row",
                capacity: REPORT.capacity(),
                visits: reports,
            },
        ])
    }

    async fn logins(&self, caller: IpAddr, times: usize) -> Result<Visit, Box<dyn Error>> {
        let key = Key::new("login").by(caller);
        let mut calls = Vec::new();
        for _ in 0..times {
            calls.push(self.call(caller, Method::POST, "/login", &LOGIN, &key).await?);
        }
        Ok(Visit { who: caller.to_string(), calls })
    }

    async fn reports(&self, tenant: &str, times: usize) -> Result<Visit, Box<dyn Error>> {
        let key = Key::new("report:{tenant}").part(tenant);
        let path = format!("/report/{tenant}");
        let mut calls = Vec::new();
        for _ in 0..times {
            calls.push(self.call(HOME, Method::GET, &path, &REPORT, &key).await?);
        }
        Ok(Visit { who: tenant.to_owned(), calls })
    }

    async fn call(
        &self,
        caller: IpAddr,
        method: Method,
        path: &str,
        limit: &Limit,
        key: &impl AsKey,
    ) -> Result<Call, Box<dyn Error>> {
        let answer = client::send(self.server, caller, &method, path).await?;
        let decision = self.limiter.peek(limit, key).await;
        Ok(Call {
            caller,
            request: format!("{method} {path}"),
            answer,
            remaining: decision.ok().map(|decision| decision.remaining()),
        })
    }
}

/// The attributes of the two handlers as the source has them, each on one line.
fn attributes() -> [String; 2] {
    let source = include_str!("server.rs").split("#[rate_limit(").skip(1);
    let mut attributes = source.filter_map(|rest| rest.split_once(")]")).map(|(arguments, _)| {
        let words: Vec<_> = arguments.split_whitespace().collect();
        format!("#[rate_limit({})]", words.join(" "))
    });
    [(); 2].map(|()| attributes.next().unwrap_or_default())
}
