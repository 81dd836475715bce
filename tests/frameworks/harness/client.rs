//! HTTP clients, each from its own loopback address.

use http::HeaderMap;
use reqwest::redirect::Policy;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};

/// A client from one loopback address.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    pub(crate) server: SocketAddr,
    pub(crate) address: IpAddr,
    pub(crate) version: Version,
}

/// The version of HTTP that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Version {
    Http1,
    Http2,
}

/// The versions of HTTP that most servers speak.
pub(crate) const VERSIONS: [Version; 2] = [Version::Http1, Version::Http2];

/// A response that was read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Client {
    /// Returns a client of a server. Its loopback address differs from the addresses of this process' recent clients.
    pub(crate) fn new(server: SocketAddr, version: Version) -> Self {
        static LAST: AtomicU8 = AtomicU8::new(0);
        let last = LAST.fetch_add(1, Ordering::Relaxed) % 250 + 2;
        let address = IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
        let builder = reqwest::Client::builder().local_address(address).no_proxy().redirect(Policy::none());
        let builder = match version {
            Version::Http1 => builder.http1_only(),
            Version::Http2 => builder.http2_prior_knowledge(),
        };
        Self { http: builder.build().unwrap(), server, address, version }
    }

    /// Returns a GET request, to which headers can be added.
    pub(crate) fn request(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.get(format!("http://{}{path}", self.server))
    }

    /// Returns a HEAD request.
    pub(crate) fn head(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.head(format!("http://{}{path}", self.server))
    }

    /// Returns a POST request, to which headers and a body can be added.
    pub(crate) fn post(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.post(format!("http://{}{path}", self.server))
    }

    /// Sends a GET request and reads the whole response.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        Reply::read(self.request(path).send().await.unwrap()).await
    }

    /// Sends a GET request with headers.
    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let request =
            headers.iter().fold(self.request(path), |request, (name, value)| request.header(*name, *value));
        Reply::read(request.send().await.unwrap()).await
    }
}

impl Reply {
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.text().await.unwrap() }
    }

    /// Returns the only value of a header. `None` if the response does not have it. Panics if there are several.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?;
        assert!(values.next().is_none(), "{name} occurs more than once: {:?}", self.headers);
        Some(value.to_str().unwrap())
    }
}
