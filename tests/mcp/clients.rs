//! The arguments of tools that identify the client, above and below `#[tool]`.

use crate::harness::{Client, code, over_a_pipe, over_http, serve};
use http::request::Parts;
use ratelimit::identity::PeerAddr;
use ratelimit::testing::TestLimiter;
use ratelimit::{RateLimiter, Rejection, UserId, rate_limit};
use rmcp::handler::server::common::{AsRequestContext, FromContextPart};
use rmcp::handler::server::tool::Extension;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, Extensions};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use std::net::{IpAddr, SocketAddr};

/// The user of a call. The server of this test trusts the request.
#[derive(Clone)]
pub(crate) struct User(pub(crate) String);

impl UserId for User {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

impl<C: AsRequestContext> FromContextPart<C> for User {
    fn from_context_part(call: &mut C) -> Result<Self, ErrorData> {
        let parts = call.as_request_context().extensions.get::<Parts>();
        let name = parts.and_then(|parts| parts.headers.get("x-user")?.to_str().ok());
        let name = name.ok_or_else(|| ErrorData::invalid_request("who calls?", None))?;
        Ok(Self(name.to_owned()))
    }
}

#[derive(Clone)]
struct Clients {
    limiter: RateLimiter,
    /// What the server puts beside each call.
    put: Option<(PeerAddr, User)>,
}

#[tool_router]
impl Clients {
    #[tool]
    #[rate_limit(key = "ip-below", time = "1h", count = 1, by = "ip", limiter = self.limiter)]
    async fn ip_below(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        Ok(context.id.to_string())
    }

    #[rate_limit(key = "ip-above", time = "1h", count = 1, by = "ip", limiter = self.limiter)]
    #[tool]
    async fn ip_above(&self, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    #[tool]
    #[rate_limit(key = "ip-extensions", time = "1h", count = 1, by = "ip", limiter = self.limiter)]
    async fn ip_of_extensions(&self, _: Extensions) -> Result<(), ErrorData> {
        Ok(())
    }

    #[tool]
    #[rate_limit(key = "ip-parts", time = "1h", count = 1, by = "ip", limiter = self.limiter)]
    async fn ip_of_parts(&self, parts: Extension<Parts>) -> Result<String, Rejection> {
        Ok(parts.0.uri.to_string())
    }

    /// The pattern moves the headers before the key is written, so this tool has only the peer.
    #[tool]
    #[rate_limit(key = "ip-parts", time = "1h", count = 1, by = "ip", limiter = self.limiter)]
    async fn ip_of_a_pattern(&self, Extension(parts): Extension<Parts>) -> Result<String, Rejection> {
        Ok(parts.uri.to_string())
    }

    #[rate_limit(key = "header-above", time = "1h", count = 1, by = "header:x-api-key", limiter = self.limiter)]
    #[tool]
    async fn header_above(&self, Extension(parts): Extension<Parts>) -> Result<String, Rejection> {
        Ok(parts.uri.to_string())
    }

    #[tool]
    #[rate_limit(key = "header-below", time = "1h", count = 1, by = "header:x-api-key", limiter = self.limiter)]
    async fn header_below(&self, _: RequestContext<RoleServer>) -> Result<(), Rejection> {
        Ok(())
    }

    #[rate_limit(key = "user-above", time = "1h", count = 1, by = "user", limiter = self.limiter)]
    #[tool]
    async fn user_above(&self, user: User) -> Result<String, Rejection> {
        Ok(user.0)
    }

    #[tool]
    #[rate_limit(key = "user-below", time = "1h", count = 1, by = "user", limiter = self.limiter)]
    async fn user_below(&self, User(name): User) -> Result<String, Rejection> {
        Ok(name)
    }

    /// As the compile error about a missing user advises.
    #[tool]
    #[rate_limit(key = "user-request", time = "1h", count = 1, limiter = self.limiter, by = context.extensions
        .get::<Parts>().and_then(|parts| parts.extensions.get::<User>()).map(|user| &user.0))]
    async fn user_of_request(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        Ok(context.id.to_string())
    }

    #[tool]
    #[rate_limit(key = "user-put", time = "1h", count = 1, by = "user", limiter = self.limiter)]
    async fn user_put(&self, _: Extension<User>) -> Result<(), Rejection> {
        Ok(())
    }
}

/// Puts a peer and a user beside each call, as a server does that knows them from another source than HTTP.
#[tool_handler]
impl ServerHandler for Clients {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some((peer, user)) = self.put.clone() {
            context.extensions.insert(peer);
            context.extensions.insert(user);
        }
        let call = rmcp::handler::server::tool::ToolCallContext::new(self, request, context);
        Self::tool_router().call(call).await
    }
}

fn server(put: Option<(PeerAddr, User)>) -> Clients {
    // The client over HTTP is behind a proxy on loopback, which says whose request it is.
    let settings = RateLimiter::builder().trusted_proxies(["127.0.0.1"]);
    Clients { limiter: TestLimiter::with_settings(settings).unwrap().limiter().clone(), put }
}

async fn codes(clients: [&Client; 3], tool: &'static str) -> [i32; 3] {
    [code(clients[0], tool).await, code(clients[1], tool).await, code(clients[2], tool).await]
}

#[tokio::test]
async fn each_client_over_http_has_its_own_limit() {
    let address = serve(server(None)).await;
    let ann = [("x-forwarded-for", "198.51.100.1"), ("x-api-key", "a"), ("x-user", "ann")];
    let bob = [("x-forwarded-for", "198.51.100.2"), ("x-api-key", "b"), ("x-user", "bob")];
    let (ann, again, bob) =
        (over_http(address, &ann).await, over_http(address, &ann).await, over_http(address, &bob).await);
    for tool in [
        "ip_below",
        "ip_above",
        "ip_of_extensions",
        "ip_of_parts",
        "header_above",
        "header_below",
        "user_above",
        "user_below",
        "user_of_request",
    ] {
        assert_eq!(codes([&ann, &again, &bob], tool).await, [0, 429, 0], "{tool}");
    }
}

#[tokio::test]
async fn a_call_without_the_header_is_refused_as_unidentified() {
    let client = over_http(serve(server(None)).await, &[]).await;
    assert_eq!(code(&client, "header_below").await, 400);
    assert_eq!(code(&client, "header_above").await, 400);
}

/// A pipe has no address and no headers. What the server has put beside the call identifies the client.
#[tokio::test]
async fn over_a_pipe_the_server_says_who_calls() {
    let unknown = over_a_pipe(server(None)).await;
    assert_eq!(code(&unknown, "ip_below").await, 503, "the server has not said who is at the other end");
    assert_eq!(code(&unknown, "header_below").await, 400);

    let address = |last| PeerAddr::from(IpAddr::from([203, 0, 113, last]));
    let known = server(Some((address(1), User("ann".to_owned()))));
    let other = Clients { put: Some((address(2), User("bob".to_owned()))), ..known.clone() };
    let (ann, again, bob) =
        (over_a_pipe(known.clone()).await, over_a_pipe(known).await, over_a_pipe(other).await);
    for tool in ["ip_below", "ip_above", "ip_of_extensions", "user_put"] {
        assert_eq!(codes([&ann, &again, &bob], tool).await, [0, 429, 0], "{tool}");
    }
}

/// The peer is a socket address of the server's connection, if no proxy is trusted.
#[tokio::test]
async fn the_peer_of_http_is_the_client() {
    let limiter = RateLimiter::in_memory();
    let address: SocketAddr = serve(Clients { limiter: limiter.clone(), put: None }).await;
    let one = over_http(address, &[("x-forwarded-for", "198.51.100.1")]).await;
    let two = over_http(address, &[("x-forwarded-for", "198.51.100.2")]).await;
    assert_eq!((code(&one, "ip_below").await, code(&two, "ip_below").await), (0, 429), "both are 127.0.0.1");
    assert_eq!((code(&one, "ip_of_a_pattern").await, code(&two, "ip_of_parts").await), (0, 429));
}
