//! `skip_if`: calls that are exempt from a limit.

use crate::harness::{Runs, keys_of, scoped};
use async_trait::async_trait;
use ratelimit::{Rejection, rate_limit};

struct User {
    id: Option<u64>,
    is_admin: bool,
}

const ADMIN: User = User { id: None, is_admin: true };
const ANN: User = User { id: Some(7), is_admin: false };

#[rate_limit(key = "k", count = 1, by = user.id, skip_if = user.is_admin)]
async fn exempt(user: &User, runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

/// The error of a call, with the name of the limit if a limit has refused the call.
struct Refused(Option<String>);

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Self {
        Self(Some(rejection.name().to_owned()))
    }
}

#[rate_limit(key = "day", time = "1d", count = 2, by = user.id)]
#[rate_limit(key = "second", time = "1s", count = 1, by = user.id, skip_if = burst, refund_if = Result::is_err)]
async fn of_a_stack(user: &User, burst: bool, fails: bool) -> Result<(), Refused> {
    if fails { Err(Refused(None)) } else { Ok(()) }
}

#[rate_limit(count = 1, algorithm = "concurrency", skip_if = *number > 1)]
async fn permit(number: &u32) -> Result<u32, Rejection> {
    Ok(*number)
}

#[async_trait]
trait Service {
    async fn call(&self, runs: &Runs) -> Result<u32, Rejection>;
}

#[async_trait]
impl Service for User {
    #[rate_limit(count = 1, skip_if = self.is_admin)]
    async fn call(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

#[tokio::test]
async fn exempt_calls_are_not_counted_and_need_no_identity() {
    let runs = &Runs::default();
    scoped(async {
        for _ in 0..3 {
            assert!(exempt(&ADMIN, runs).await.is_ok());
        }
        assert!(exempt(&ANN, runs).await.is_ok());
        assert!(exempt(&ANN, runs).await.is_err());
        assert!(exempt(&ADMIN, runs).await.is_ok());
        assert_eq!(runs.count(), 5);
        for _ in 0..3 {
            assert!(ADMIN.call(runs).await.is_ok());
        }
        assert!(ANN.call(runs).await.is_ok() && ANN.call(runs).await.is_err());
        assert_eq!(permit(&2).await.unwrap(), 2);
    })
    .await;
    assert_eq!(keys_of(exempt(&ADMIN, runs)).await, Vec::<String>::new());
}

#[tokio::test]
async fn each_limit_of_a_stack_has_its_own_exemption() {
    scoped(async {
        let refused =
            async |burst, fails| of_a_stack(&ANN, burst, fails).await.err().and_then(|refused| refused.0);
        // The second limit skips a call with `burst`, so the failure of this call refunds nothing. The first limit counts
        // every call.
        assert_eq!(refused(true, true).await, None);
        assert_eq!(refused(false, true).await, None);
        assert_eq!(refused(false, false).await.as_deref(), Some("day"));
        assert_eq!(refused(true, false).await.as_deref(), Some("day"));
    })
    .await;
}
