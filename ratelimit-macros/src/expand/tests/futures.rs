//! Snapshots of functions that return a future.

use super::check;
use expect_test::expect;

#[test]
fn a_future_whose_block_waits() {
    check(
        r#"key = "send:{to}""#,
        "fn send(&self, to: &str) -> impl Future<Output = Result<(), Error>> + use<> {
            let smtp = self.smtp.clone();
            async move { smtp.send().await }
        }",
        &expect![[r#"
            fn send(&self, to: &str) -> impl Future<Output = Result<(), Error>> + use<> {
                let call = {
                    {
                        #[allow(unused_imports)]
                        use ::ratelimit::__private::ProbeKeyPart as _;
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "send:{to}",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        let mut call = ::ratelimit::__private::Call::new(&__SITE);
                        ::ratelimit::__private::Way::write(
                            (&&&&::ratelimit::__private::KeyPart(&to)).__ratelimit_key_part(),
                            &mut ::ratelimit::__private::Call::part(&mut call),
                        );
                        call
                    }
                };
                #[allow(clippy::cargo_common_metadata)]
                {
                    let smtp = self.smtp.clone();
                    async move {
                        let check = ::ratelimit::__private::Call::start(call);
                        if let ::core::result::Result::Err(rejection) = check.await {
                            return <Result<
                                (),
                                Error,
                            > as ::ratelimit::FromRejection>::from_rejection(rejection);
                        }
                        #[allow(clippy::cargo_common_metadata)] { smtp.send().await }
                    }
                }
            }
        "#]],
    );
}

#[test]
fn a_boxed_future_that_is_made_elsewhere() {
    check(
        r#"key = "get", refund_if = Result::is_err"#,
        "fn get(id: u64) -> BoxFuture<'static, Result<Row, Error>> { if id == 0 { return none(); } find(id).boxed() }",
        &expect![[r#"
            fn get(id: u64) -> BoxFuture<'static, Result<Row, Error>> {
                let call = {
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "get",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        ::ratelimit::__private::Call::new(&__SITE)
                    }
                };
                ::ratelimit::__private::Box::pin(async move {
                    let check = ::ratelimit::__private::Call::admit(call);
                    let mut admission = match check.await {
                        ::core::result::Result::Ok(admission) => admission,
                        ::core::result::Result::Err(rejection) => {
                            return <Result<
                                Row,
                                Error,
                            > as ::ratelimit::FromRejection>::from_rejection(rejection);
                        }
                    };
                    let result: Result<Row, Error> = async move {
                        if let ::core::option::Option::Some(result) = ::core::option::Option::None::<
                            Result<Row, Error>,
                        > {
                            return result;
                        }
                        #[allow(clippy::cargo_common_metadata)]
                        {
                            ::ratelimit::__private::once(move || -> BoxFuture<
                                    'static,
                                    Result<Row, Error>,
                                > {
                                    if id == 0 {
                                        return none();
                                    }
                                    find(id).boxed()
                                })
                                .await
                        }
                    }
                        .await;
                    ::ratelimit::__private::Admission::refund_if(
                        &mut admission,
                        0,
                        ::ratelimit::__private::judge(Result::is_err, &result),
                    );
                    ::ratelimit::__private::Admission::finish(admission).await;
                    result
                })
            }
        "#]],
    );
}
