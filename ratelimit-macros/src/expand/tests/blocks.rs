//! Snapshots of annotated `impl` blocks.

use super::check;
use expect_test::expect;

#[test]
fn a_block() {
    check(
        "count = Tenant::RATE",
        r#"impl<Tenant: Plan> Mail for Smtp<Tenant> {
            const PORT: u16 = 25;
            async fn send(&self, to: &str) -> Result<(), Error> { self.post(to).await }
            #[rate_limit(skip)]
            async fn close(&self) {}
            #[rate_limit(key = "own", count = 5)]
            async fn receive(&self) -> Result<Mail, Error> { self.next().await }
            fn port(&self) -> u16 { Self::PORT }
        }"#,
        &expect![[r#"
            impl<Tenant: Plan> Mail for Smtp<Tenant> {
                const PORT: u16 = 25;
                async fn send(&self, to: &str) -> Result<(), Error> {
                    let __check = {
                        let mut __call = p::Call::new(const {
                            &p::Site::new(
                                    ::core::concat!(::core::module_path!(), "::", "send"),
                                    r::Limit::counter(p::limit::count(Tenant::RATE), core::secs(60)),
                                )
                                .in_type()
                        });
                        p::Call::of_type(&mut __call, ::core::any::type_name::<Self>());
                        p::Call::start(&mut __call)
                    };
                    decide_or(rejection_as::<Result<(), Error>>());
                    { self.post(to).await }
                }
                async fn close(&self) {}
                #[rate_limit(key = "own", count = 5)]
                async fn receive(&self) -> Result<Mail, Error> {
                    self.next().await
                }
                fn port(&self) -> u16 {
                    Self::PORT
                }
            }
        "#]],
    );
}

#[test]
fn a_wrong_attribute_leaves_the_block_as_it_was() {
    check(
        "count = 0",
        "impl Smtp {
            #[rate_limit(skip)]
            async fn close(&self) {}
            async fn send(&self) -> Result<(), Error> { self.post().await }
            async fn receive(&self) -> Result<Mail, Error> { self.next().await }
        }",
        &expect![[r#"
            ::core::compile_error! {
                "`count` must be at least 1: a limit of zero would refuse every call"
            }
            impl Smtp {
                async fn close(&self) {}
                async fn send(&self) -> Result<(), Error> {
                    self.post().await
                }
                async fn receive(&self) -> Result<Mail, Error> {
                    self.next().await
                }
            }
        "#]],
    );
}
