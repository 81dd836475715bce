//! Id types of other crates. An id always gives the same key, whether `by` is the id, its text or a user with this id.

use crate::harness::{keys_of, limited};
use ratelimit::identity::{ByDisplay, Identity};
use ratelimit::{Key, Limit, Rejection, UserId, rate_limit};
use std::fmt;
use std::time::Duration;
use ulid::Ulid;
use uuid::Uuid;

/// An id type of another crate. It implements `Display`, but not `Identity`.
#[derive(Clone, Copy)]
struct Foreign(u32);

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "acc-{}", self.0)
    }
}

struct User<I>(I);

impl<I: Identity + Copy + 'static> UserId for User<I> {
    type Id = I;

    fn user_id(&self) -> Option<I> {
        Some(self.0)
    }
}

limited! {
    #[rate_limit(key = "k", by = id)] by_uuid(id: Uuid);
    #[rate_limit(key = "k", by = id)] by_optional_uuid(id: Option<Uuid>);
    #[rate_limit(key = "k", by = id)] by_ulid(id: &Ulid);
    #[rate_limit(key = "k", by = id)] by_foreign(id: Foreign);
    #[rate_limit(key = "k", by = id.map(ByDisplay))] by_optional_foreign(id: Option<Foreign>);
    #[rate_limit(key = "k", by = text)] by_text(text: String);
}

#[rate_limit(key = "k", by = "user")]
async fn by_user<I: Identity + Copy + 'static>(user: &User<I>) -> Result<(), Rejection> {
    Ok(())
}

/// Requests a decision from the scoped limiter without the attribute.
async fn by_hand(id: impl Identity + Send + Sync) {
    let limit = Limit::counter(100, Duration::from_secs(60));
    let limiter = ratelimit::RateLimiter::scoped().unwrap();
    limiter.check(&limit, Key::new("k").by(id)).await.unwrap();
}

#[tokio::test]
async fn a_uuid_is_its_hyphenated_text() {
    let id = Uuid::from_u128(0x550e_8400_e29b_41d4_a716_4466_5544_00ab);
    let keys = keys_of(async {
        by_uuid(id).await.unwrap();
        by_optional_uuid(Some(id)).await.unwrap();
        by_user(&User(id)).await.unwrap();
        by_user(&User(ByDisplay(id))).await.unwrap();
        by_text(id.to_string()).await.unwrap();
        by_hand(id).await;
        assert!(matches!(by_optional_uuid(None).await, Err(Rejection::Unidentified(_))));
    })
    .await;
    assert_eq!(keys, ["{550e8400-e29b-41d4-a716-4466554400ab}:k"; 6]);
}

#[tokio::test]
async fn a_ulid_is_its_text() {
    let id = Ulid::from(0x0178_0f1b_5a2e_4c11_98d2_00ab_cdef_0123_u128);
    let keys = keys_of(async {
        by_ulid(&id).await.unwrap();
        by_user(&User(id)).await.unwrap();
        by_user(&User(ByDisplay(id))).await.unwrap();
        by_text(id.to_string()).await.unwrap();
        by_hand(id).await;
    })
    .await;
    assert_eq!(keys, vec![format!("{{{id}}}:k"); 5]);
}

#[tokio::test]
async fn any_other_id_is_the_text_that_it_displays() {
    let id = Foreign(7);
    let keys = keys_of(async {
        by_foreign(id).await.unwrap();
        by_optional_foreign(Some(id)).await.unwrap();
        by_user(&User(ByDisplay(id))).await.unwrap();
        by_text("acc-7".to_owned()).await.unwrap();
        by_hand(ByDisplay(id)).await;
        assert!(matches!(by_optional_foreign(None).await, Err(Rejection::Unidentified(_))));
    })
    .await;
    assert_eq!(keys, ["{acc-7}:k"; 5]);
}
