//! `by`: every kind of value that can be an identity. The attribute moves none of these values.

use crate::harness::{keys_of, limited, unidentified};
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::{ErrorKind, Rejection, rate_limit};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

struct User {
    id: u64,
    name: String,
    session: Option<String>,
}

fn ann() -> User {
    User { id: 7, name: "ann".to_owned(), session: None }
}

struct OnlyDisplay;

impl fmt::Display for OnlyDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("shown")
    }
}

struct OnlyIdentity;

impl Identity for OnlyIdentity {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text("written");
    }
}

limited! {
    #[rate_limit(key = "k", by = user.id)] integer(user: &User);
    #[rate_limit(key = "k", by = name)] text(name: &str);
    #[rate_limit(key = "k", by = "global")] global();
    #[rate_limit(key = "k", by = user.session)] optional(user: &User);
    #[rate_limit(key = "k", by = (user.id, user.session.as_deref()))] optional_in_a_tuple(user: &User);
    #[rate_limit(key = "k", by = address)] address(address: IpAddr);
    #[rate_limit(key = "k", by = format!("{}-{}", user.id, user.name.to_uppercase()))] computed(user: &User);
    #[rate_limit(key = "k", by = if user.id == 0 { "nobody" } else { &user.name })] chosen(user: &User);
}

#[rate_limit(key = "k", by = user.name)]
async fn string(user: User) -> Result<String, Rejection> {
    Ok(user.name)
}

#[rate_limit(key = "k", by = (user.name, &user.id, kind, *number % 2))]
async fn tuple(user: User, kind: &str, number: &u8) -> Result<User, Rejection> {
    Ok(user)
}

#[rate_limit(key = "k", by = (one, other))]
async fn own_types(one: OnlyDisplay, other: &OnlyIdentity) -> Result<OnlyDisplay, Rejection> {
    Ok(one)
}

#[rate_limit(key = "k", by = value)]
async fn generic<T: Identity>(value: T) -> Result<T, Rejection> {
    Ok(value)
}

#[rate_limit(key = "k", by = id.parse::<u64>().map_err(|_| "no number")?, on_limit = |_| Err("refused"))]
async fn fallible(id: &str) -> Result<(), &'static str> {
    Ok(())
}

#[rate_limit(key = "k", by = id as i64 - i64::from(id) * 4)]
#[expect(clippy::cast_lossless, reason = "casts bind in their own way")]
async fn cast(id: u32) -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn plain_values() {
    let keys = keys_of(async {
        integer(&ann()).await.unwrap();
        string(ann()).await.unwrap();
        text("ann").await.unwrap();
        global().await.unwrap();
        chosen(&ann()).await.unwrap();
        computed(&ann()).await.unwrap();
        cast(2).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{7}:k", "{ann}:k", "{ann}:k", "{k}", "{ann}:k", "{7-ANN}:k", "{-6}:k"]);
}

#[tokio::test]
async fn tuples_are_written_element_by_element_and_not_moved() {
    let keys = keys_of(async {
        assert_eq!(tuple(ann(), "pdf", &5).await.unwrap().name, "ann");
        own_types(OnlyDisplay, &OnlyIdentity).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{ann,7,pdf,1}:k", "{shown,written}:k"]);
}

#[tokio::test]
async fn an_identity_does_not_use_its_display_output() {
    let network = |end| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, end));
    let keys = keys_of(async {
        address(network(1)).await.unwrap();
        address(network(2)).await.unwrap();
        generic(network(3)).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{2001-db8-1-2/64}:k"; 3]);
}

#[tokio::test]
async fn a_call_without_identity_is_refused() {
    let keys = keys_of(async {
        assert_eq!(unidentified(optional(&ann()).await).kind(), ErrorKind::NoIdentity);
        assert_eq!(unidentified(optional_in_a_tuple(&ann()).await).kind(), ErrorKind::NoIdentity);
        let session = Some("s".to_owned());
        optional(&User { session, ..ann() }).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{s}:k"]);
}

#[tokio::test]
async fn an_expression_may_return_from_the_function() {
    let keys = keys_of(async {
        assert_eq!(fallible("x").await, Err("no number"));
        assert_eq!(fallible("8").await, Ok(()));
    })
    .await;
    assert_eq!(keys, ["{8}:k"]);
}
