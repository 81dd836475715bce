//! `by = "user"` and `by = "header:.."`: the attribute finds the argument with the user or the headers by its type.

use crate::harness::{PEER, keys_of, limited, unidentified};
use async_trait::async_trait;
use axum::Extension;
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ratelimit::identity::RequestHeaders;
use ratelimit::{ErrorKind, Rejection, UserId, rate_limit};
use std::net::SocketAddr;
use std::sync::Arc;

#[derive(Clone)]
struct User {
    id: u64,
}

impl UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        (self.id > 0).then_some(self.id)
    }
}

struct Session(String);

impl UserId for Session {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

struct Message(Vec<(&'static str, &'static str)>);

impl RequestHeaders for Message {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.0.iter().filter(|(known, _)| *known == name).for_each(|(_, value)| line(value.as_bytes()));
    }
}

#[rate_limit(key = "k", by = "user")]
async fn user(text: &str, who: User) -> Result<User, Rejection> {
    Ok(who)
}

#[rate_limit(key = "k", by = "user")]
async fn pattern(User { id }: User, _: u32) -> Result<u64, Rejection> {
    Ok(id)
}

limited! {
    #[rate_limit(key = "k", by = who)] by_name(who: &User);
    #[rate_limit(key = "k", by = "user")] session(session: Arc<Session>);
    #[rate_limit(key = "k", by = "user")] optional(user: Option<&User>);
    #[rate_limit(key = "k", by = "user")] extension(Extension(_user): Extension<User>);
    #[rate_limit(key = "k", by = "header:x-api-key")] header(headers: &HeaderMap);
    #[rate_limit(key = "k", by = "header:x-api-key")] request(request: Request);
    #[rate_limit(key = "k", by = "header:x-api-key")] parts(parts: &Parts);
    #[rate_limit(key = "k", by = "header:x-api-key")] own_type(message: Message);
    #[rate_limit(key = "second", time = "1s", by = ("user", "header:a"))]
    #[rate_limit(key = "day", time = "1d", by = ("header:b", "user"))]
    stack(user: &User, message: Message);
    #[rate_limit(key = "k", by = ("user", "header:a"))] two_arguments(user: User, message: Message);
    #[rate_limit(key = "k", by = user.id)] by_value(user: User, _message: Message);
}

#[rate_limit(key = "k", by = ("user", "ip", "header:X-Tenant", kind))]
async fn all_of_them(
    kind: &str,
    headers: HeaderMap,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    user: User,
) -> Result<(HeaderMap, SocketAddr, User), Rejection> {
    Ok((headers, peer, user))
}

#[async_trait]
trait Service {
    async fn call(&self, user: User, message: Message) -> Result<User, Rejection>;
}

#[async_trait]
impl Service for () {
    #[rate_limit(key = "k", by = ("user", "header:a"))]
    async fn call(&self, user @ User { id: _ }: User, Message(_): Message) -> Result<User, Rejection> {
        Ok(user)
    }
}

fn headers(values: &[(&'static str, &'static str)]) -> HeaderMap {
    values.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

/// Returns the key of a call, with the hashes of header values shortened to `#`.
async fn key(call: impl Future<Output = Result<impl Sized, Rejection>>) -> String {
    let keys = keys_of(call).await;
    assert_eq!(keys.len(), 1);
    keys[0]
        .split('#')
        .map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
        .collect::<Vec<_>>()
        .join("#")
}

#[tokio::test]
async fn users_are_found_by_type() {
    assert_eq!(key(user("text", User { id: 7 })).await, "{7}:k");
    assert_eq!(key(by_name(&User { id: 7 })).await, "{7}:k");
    assert_eq!(key(pattern(User { id: 7 }, 1)).await, "{7}:k");
    assert_eq!(key(session(Arc::new(Session("ann".to_owned())))).await, "{ann}:k");
    assert_eq!(key(optional(Some(&User { id: 7 }))).await, "{7}:k");
    assert_eq!(key(extension(Extension(User { id: 7 }))).await, "{7}:k");
    let call = ().call(User { id: 7 }, Message(vec![("a", "1")]));
    assert_eq!(key(call).await, "{7,#}:k");
}

#[tokio::test]
async fn headers_are_found_by_type_and_hashed() {
    let one = || headers(&[("x-api-key", "secret"), ("x-tenant", "t")]);
    assert_eq!(key(header(&one())).await, "{#}:k");
    let hashed = keys_of(header(&one())).await;
    assert_eq!(hashed[0].len(), "{#}:k".len() + 32);
    assert_ne!(hashed, keys_of(header(&headers(&[("x-api-key", "another")]))).await);

    let mut whole = Request::new(axum::body::Body::empty());
    *whole.headers_mut() = one();
    let (parts_of_it, _) = whole.into_parts();
    assert_eq!(keys_of(parts(&parts_of_it)).await, hashed);
    assert_eq!(keys_of(request(Request::from_parts(parts_of_it, axum::body::Body::empty()))).await, hashed);
    assert_eq!(keys_of(own_type(Message(vec![("x-api-key", "secret")]))).await, hashed);
    let all = all_of_them("kind", one(), ConnectInfo(PEER), User { id: 7 });
    assert_eq!(key(all).await, "{7,127.0.0.1,#,kind}:k");
}

#[tokio::test]
async fn each_limit_of_a_stack_finds_its_own_arguments() {
    let message = || Message(vec![("a", "1"), ("b", "2")]);
    let keys = keys_of(stack(&User { id: 7 }, message())).await;
    assert_eq!(keys.len(), 2);
    assert!(keys[0].starts_with("{7,#") && keys[0].ends_with("}:second"), "{}", keys[0]);
    assert!(keys[1].starts_with("{#") && keys[1].ends_with(",7}:day"), "{}", keys[1]);
}

#[tokio::test]
async fn an_unknown_caller_is_refused() {
    let twice = headers(&[("x-api-key", "mine"), ("x-api-key", "another")]);
    for call in [
        unidentified(optional(None).await),
        unidentified(user("text", User { id: 0 }).await),
        unidentified(header(&HeaderMap::new()).await),
        unidentified(header(&twice).await),
        unidentified(own_type(Message(vec![])).await),
    ] {
        assert_eq!(call.kind(), ErrorKind::NoIdentity, "{call}");
    }
    let rejection = header(&twice).await.unwrap_err();
    assert_eq!(rejection.to_string(), "this request does not say who calls");
    assert!(rejection.name() == "k" && rejection.decision().is_none(), "{rejection:?}");
    assert_eq!(rejection.retry_after(), None);
    assert_eq!(axum::http::StatusCode::from(rejection), 400);
}

#[test]
fn the_future_does_not_keep_the_found_argument() {
    fn is_send<F: Future + Send>(future: F) -> F {
        future
    }
    let message = || Message(vec![]);
    let found = is_send(().call(User { id: 7 }, message()));
    drop(found);
    let plain = by_value(User { id: 7 }, message());
    let found = is_send(two_arguments(User { id: 7 }, message()));
    let sizes = (size_of_val(&found), size_of_val(&plain));
    assert!(sizes.0 <= sizes.1 + 64, "{sizes:?}");
}
