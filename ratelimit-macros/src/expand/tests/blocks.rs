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
                        let mut __call = ::ratelimit::__private::Call::new(const {
                            &::ratelimit::__private::Site::new(
                                ::core::concat!(::core::module_path!(), "::", "send"),
                                ::ratelimit::Limit::counter(
                                    ::ratelimit::__private::limit::count(Tenant::RATE),
                                    ::core::time::Duration::from_secs(60),
                                ),
                            )
                        });
                        ::ratelimit::__private::Call::of_type(
                            &mut __call,
                            ::core::any::type_name::<Self>(),
                        );
                        ::ratelimit::__private::Call::start(&mut __call)
                    };
                    let __check = ::ratelimit::__private::Check::pending(__check);
                    if let ::core::option::Option::Some(_) = __check {
                        if let ::core::result::Result::Err(__rejection) = ::ratelimit::__private::Check::of_pending(
                                __check,
                            )
                            .await
                        {
                            return <Result<
                                (),
                                Error,
                            > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                        }
                    } else {
                        ::core::mem::drop(__check);
                    }
                    #[allow(clippy::cargo_common_metadata)] { self.post(to).await }
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
