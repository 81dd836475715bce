//! The attribute on `impl` blocks of a trait under `#[async_trait]`, above and below it.

use crate::harness::{Runs, keys_of, passes_once, scoped};
use async_trait::async_trait;
use ratelimit::{Rejection, rate_limit};

#[async_trait]
trait Mail: Send + Sync {
    async fn send(&self, to: &str) -> Result<u32, Rejection>;
    async fn unit(&self, n: u32) -> Result<(), Rejection>;
    async fn exempt(&self) -> u32;
    async fn of_its_own(&self) -> u32;
    fn plain(&self) -> u32;
}

/// The attribute of the block is between those above and below it.
macro_rules! mail {
    ($name:ident [$($above:tt)*] [$($below:tt)*]) => {
        struct $name(Runs);

        $($above)*
        #[rate_limit(count = 1, by = self.0.who())]
        $($below)*
        impl Mail for $name {
            async fn send(&self, to: &str) -> Result<u32, Rejection> {
                Ok(self.0.add() + u32::from(to.is_empty()))
            }

            async fn unit(&self, n: u32) -> Result<(), Rejection> {
                assert_eq!(self.0.add(), n);
                Ok(())
            }

            #[rate_limit(skip)]
            async fn exempt(&self) -> u32 {
                self.0.add()
            }

            #[rate_limit(count = 2, on_limit = |_| self.plain() + 100)]
            async fn of_its_own(&self) -> u32 {
                self.0.add()
            }

            fn plain(&self) -> u32 {
                self.0.count()
            }
        }
    };
}

mail!(Above [#[async_trait]] []);
mail!(Below [] [#[async_trait]]);

async fn check_mail(mail: &dyn Mail, runs: &Runs) {
    passes_once(runs, async || mail.send("ann").await).await;
    passes_once(runs, async || mail.unit(2).await).await;
    scoped(async {
        for n in 3..=5 {
            assert_eq!(mail.exempt().await, n);
        }
        assert_eq!(mail.of_its_own().await, 6);
        assert_eq!(mail.of_its_own().await, 7);
        assert_eq!(mail.of_its_own().await, 107);
    })
    .await;
    assert_eq!(mail.plain(), 7);
}

#[tokio::test]
async fn async_trait_above_and_below() {
    let (above, below) = (Above(Runs::default()), Below(Runs::default()));
    check_mail(&above, &above.0).await;
    check_mail(&below, &below.0).await;
    let keys = keys_of(async {
        above.send("ann").await.unwrap();
        below.send("ann").await.unwrap();
    })
    .await;
    let key = |of: &str| {
        format!(
            "{{ann}}:attribute::items::async_trait_blocks::send=attribute%3a%3aitems%3a%3aasync_trait_blocks%3a%3a{of}"
        )
    };
    assert_eq!(keys, [key("Above"), key("Below")]);
}
