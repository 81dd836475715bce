//! `key`: the name of the limit, with placeholders filled from arguments.

use crate::harness::keys_of;
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::{Rejection, rate_limit};
use std::fmt;

struct Tenant {
    id: u32,
    plan: (Plan, u8),
}

struct Plan(&'static str);

impl Plan {
    fn name(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.id)
    }
}

struct Secret;

impl Identity for Secret {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text("from its identity");
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as it displays")
    }
}

const TENANT: Tenant = Tenant { id: 7, plan: (Plan("gold"), 9) };

#[rate_limit]
async fn default_name() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit]
async fn r#type() -> Result<(), Rejection> {
    Ok(())
}

mod inner {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(by = 1 + 1)]
    pub(super) async fn default_name() -> Result<(), Rejection> {
        Ok(())
    }
}

#[rate_limit(key = "login")]
async fn named() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "{tenant}:{tenant.id}:{tenant.plan.1}:{tenant.plan.0.name()}:{ kind }")]
async fn placeholders(tenant: &Tenant, kind: String) -> Result<String, Rejection> {
    Ok(kind)
}

#[rate_limit(key = "{{x}} {secret} {r#type}")]
async fn escapes(secret: Secret, r#type: char) -> Result<(), Rejection> {
    let _ = (secret, r#type);
    Ok(())
}

impl Tenant {
    #[rate_limit(key = "of:{self.id}:{self.name().len()}", by = self)]
    async fn method(&self) -> Result<(), Rejection> {
        Ok(())
    }

    fn name(&self) -> &'static str {
        self.plan.0.name()
    }
}

#[tokio::test]
async fn without_a_key_the_name_is_the_path_of_the_function() {
    let keys = keys_of(async {
        default_name().await.unwrap();
        inner::default_name().await.unwrap();
        r#type().await.unwrap();
    })
    .await;
    assert_eq!(
        keys,
        [
            "{attribute::identities::keys::default_name}",
            "{2}:attribute::identities::keys::inner::default_name",
            "{attribute::identities::keys::type}",
        ]
    );
}

#[tokio::test]
async fn placeholders_are_filled_from_arguments() {
    let keys = keys_of(async {
        named().await.unwrap();
        let kind = placeholders(&TENANT, "pdf".to_owned()).await.unwrap();
        assert_eq!(kind, "pdf");
        TENANT.method().await.unwrap();
    })
    .await;
    assert_eq!(
        keys,
        [
            "{login}",
            "{<tenant>:<tenant.id>:<tenant.plan.1>:<tenant.plan.0.name()>:<%20kind%20>=t7=7=9=gold=pdf}",
            "{t7}:of:<self.id>:<self.name().len()>=7=4",
        ]
    );
}

#[tokio::test]
async fn a_value_with_an_identity_does_not_use_its_display_output() {
    let keys = keys_of(async { escapes(Secret, 'x').await.unwrap() }).await;
    assert_eq!(keys.len(), 1);
    assert!(keys[0].ends_with("=from%20its%20identity=x}"), "{}", keys[0]);
}
