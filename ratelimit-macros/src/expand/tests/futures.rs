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
                let __call = {
                    {
                        #[allow(unused_imports)]
                        use ::ratelimit::__private::ProbeKeyPart as _;
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "send:{to}",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                        ::ratelimit::__private::Way::write(
                            (&&&&::ratelimit::__private::KeyPart(&to)).__ratelimit_key_part(),
                            &mut ::ratelimit::__private::Call::part(&mut __call),
                        );
                        __call
                    }
                };
                #[allow(clippy::cargo_common_metadata)]
                {
                    let smtp = self.smtp.clone();
                    async move {
                        let __check = {
                            let mut __call = __call;
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
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ReturnOf::<Row>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __call = {
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "get",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        ::ratelimit::__private::Call::new(&__SITE)
                    }
                };
                ::ratelimit::__private::Box::pin(async move {
                    let __check = { ::ratelimit::__private::Call::admit(__call) };
                    let mut __admission = match __check.await {
                        ::core::result::Result::Ok(__admission) => __admission,
                        ::core::result::Result::Err(__rejection) => {
                            return <Result<
                                Row,
                                Error,
                            > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                        }
                    };
                    let __result: Result<Row, Error> = async move {
                        if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                            Result<Row, Error>,
                        > {
                            return __result;
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
                        &mut __admission,
                        0,
                        ::ratelimit::__private::judge(Result::is_err, &__result),
                    );
                    ::ratelimit::__private::Admission::finish(__admission).await;
                    __result
                })
            }
        "#]],
    );
}

#[test]
fn a_method_that_async_trait_has_expanded() {
    check(
        r#"key = "mail:{self.tenant}", by = to"#,
        "fn send<'a, 'async_trait>(&'a self, to: String)
            -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<(), Error>> + ::core::marker::Send + 'async_trait>> {
            Box::pin(async move {
                if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<(), Error>> {
                    #[allow(unreachable_code)]
                    return __ret;
                }
                let __self = self;
                let to = to;
                let __ret: Result<(), Error> = { __self.smtp.send(to).await };
                #[allow(unreachable_code)]
                __ret
            })
        }",
        &expect![[r#"
            fn send<'a, 'async_trait>(
                &'a self,
                to: String,
            ) -> ::core::pin::Pin<
                Box<
                    dyn ::core::future::Future<
                        Output = Result<(), Error>,
                    > + ::core::marker::Send + 'async_trait,
                >,
            > {
                Box::pin(async move {
                    if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<
                        Result<(), Error>,
                    > {
                        #[allow(unreachable_code)] return __ret;
                    }
                    let __self = self;
                    let to = to;
                    let __ret: Result<(), Error> = {
                        let __check = {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::ProbeKeyPart as _;
                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                "mail:{self.tenant}",
                                ::ratelimit::Limit::counter(
                                    100,
                                    ::core::time::Duration::from_secs(60),
                                ),
                            );
                            let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                            ::ratelimit::__private::Way::write(
                                (&&&&::ratelimit::__private::KeyPart(&to)).__ratelimit_key_part(),
                                &mut ::ratelimit::__private::Call::identity(&mut __call),
                            );
                            ::ratelimit::__private::Way::write(
                                (&&&&::ratelimit::__private::KeyPart(&__self.tenant))
                                    .__ratelimit_key_part(),
                                &mut ::ratelimit::__private::Call::part(&mut __call),
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
                        #[allow(clippy::cargo_common_metadata)] { __self.smtp.send(to).await }
                    };
                    #[allow(unreachable_code)] __ret
                })
            }
        "#]],
    );
}

#[test]
fn a_future_of_a_stream() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "body_end""#,
        "fn events() -> impl Future<Output = Sse<impl Stream<Item = Event>>> { async move { open().await } }",
        &expect![[r#"
            fn events() -> impl Future<
                Output = ::ratelimit::Holding<Sse<impl Stream<Item = Event>>>,
            > {
                let __call = {
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "events",
                            ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                        );
                        ::ratelimit::__private::Call::new(&__SITE)
                    }
                };
                #[allow(clippy::cargo_common_metadata)]
                {
                    async move {
                        let __check = { ::ratelimit::__private::Call::admit(__call) };
                        let __admission = match __check.await {
                            ::core::result::Result::Ok(__admission) => __admission,
                            ::core::result::Result::Err(__rejection) => {
                                return <::ratelimit::Holding<
                                    Sse<_>,
                                > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                            }
                        };
                        let __result: Sse<_> = async move {
                            if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                                Sse<_>,
                            > {
                                return __result;
                            }
                            #[allow(clippy::cargo_common_metadata)] { open().await }
                        }
                            .await;
                        let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0])
                            .await;
                        let __result = ::ratelimit::HoldBody::hold(
                            __result,
                            ::ratelimit::__private::Lasting::held(__lasting),
                        );
                        __result
                    }
                }
            }
        "#]],
    );
}
