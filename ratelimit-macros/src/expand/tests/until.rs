//! Snapshots of limits that last until the body of the response ends, and of the warning about those that do not.

use super::check;
use expect_test::expect;

#[test]
fn a_permit_of_a_stream() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "body_end""#,
        "async fn events(app: State<App>) -> Result<Sse<impl Stream<Item = Event>>, Error> { open(app).await }",
        &expect![[r#"
            async fn events(
                app: State<App>,
            ) -> Result<::ratelimit::Holding<Sse<impl Stream<Item = Event>>>, Error> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            ::ratelimit::Holding<Sse<_>>,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                let __result: Result<Sse<_>, Error> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Result<Sse<_>, Error>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { open(app).await }
                }
                    .await;
                let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                let __result = ::ratelimit::HoldBody::hold(
                    __result,
                    ::ratelimit::__private::Lasting::held(__lasting),
                );
                __result
            }
        "#]],
    );
}

#[test]
fn a_stack_of_which_one_limit_lasts() {
    check(
        r#"key = "bytes", settle = |sent| sent.blocks(1024), until = "body_end""#,
        r#"#[rate_limit(key = "misses", refund_if = Result::is_ok)]
        async fn file(path: &str) -> Result<Response, Error> { open(path).await }"#,
        &expect![[r#"
            async fn file(path: &str) -> Result<Response, Error> {
                let __check = {
                    ::ratelimit::__private::Calls::admit(
                        ::ratelimit::__private::Call::and(
                            {
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                    "bytes",
                                    ::ratelimit::Limit::counter(
                                        100,
                                        ::core::time::Duration::from_secs(60),
                                    ),
                                );
                                ::ratelimit::__private::Call::new(&__SITE)
                            },
                            {
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                    "misses",
                                    ::ratelimit::Limit::counter(
                                        100,
                                        ::core::time::Duration::from_secs(60),
                                    ),
                                );
                                ::ratelimit::__private::Call::new(&__SITE)
                            },
                        ),
                    )
                };
                let mut __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Response,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                let __settle0 = ::ratelimit::__private::settle_on_end(|sent| sent.blocks(1024));
                let __result: Result<Response, Error> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Result<Response, Error>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { open(path).await }
                }
                    .await;
                ::ratelimit::__private::Admission::refund_if(
                    &mut __admission,
                    1,
                    ::ratelimit::__private::judge(Result::is_ok, &__result),
                );
                let mut __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                ::ratelimit::__private::Lasting::settle(&mut __lasting, 0, __settle0);
                let __result = ::ratelimit::HoldBody::hold(
                    __result,
                    ::ratelimit::__private::Lasting::held(__lasting),
                );
                __result
            }
        "#]],
    );
}

#[test]
fn a_response_in_an_argument() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "body_end""#,
        "async fn events(mut req: &mut Request, res: &mut Response) -> StatusResult<()> { open(req, res).await }",
        &expect![[r#"
            async fn events(req: &mut Request, res: &mut Response) -> StatusResult<()> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <StatusResult<
                            (),
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                let __result: StatusResult<()> = {
                    #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
                    let mut req = &mut *req;
                    #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
                    let mut res = &mut *res;
                    async move {
                        if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                            StatusResult<()>,
                        > {
                            return __result;
                        }
                        #[allow(clippy::cargo_common_metadata)] { open(req, res).await }
                    }
                }
                    .await;
                let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                if ::ratelimit::__private::Written::is_written(&__result) {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{
                        FoundBody, MergeTarget, Nothing, ProbeTarget as _, Target,
                    };
                    #[allow(clippy::used_underscore_binding)]
                    FoundBody::hold(
                        MergeTarget::merge(
                            MergeTarget::merge(
                                Nothing,
                                Target(&mut *req).__ratelimit_probe_target(),
                            ),
                            Target(&mut *res).__ratelimit_probe_target(),
                        ),
                        ::ratelimit::__private::Lasting::held(__lasting),
                    );
                }
                __result
            }
        "#]],
    );
}

#[test]
fn an_opaque_response() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "body_end""#,
        "async fn events() -> impl IntoResponse { open().await }",
        &expect![[r#"
            async fn events() -> ::core::result::Result<impl IntoResponse, ::ratelimit::Rejection> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return ::core::result::Result::Err(__rejection);
                    }
                };
                let __result = async move { open().await }.await;
                let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                let __result = ::ratelimit::HoldBody::hold(
                    __result,
                    ::ratelimit::__private::Lasting::held(__lasting),
                );
                ::core::result::Result::Ok(__result)
            }
        "#]],
    );
}

#[test]
fn a_file_of_a_function_that_becomes_fallible() {
    check(
        r#"key = "files", count = 9, algorithm = "concurrency", until = "body_end", fallible"#,
        "async fn file() -> Option<NamedFile> { open().await }",
        &expect![[r#"
            async fn file() -> ::core::result::Result<
                Option<::ratelimit::Holding<NamedFile>>,
                ::ratelimit::Rejection,
            > {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "files",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return ::core::result::Result::Err(__rejection);
                    }
                };
                let __result: Option<NamedFile> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Option<NamedFile>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { open().await }
                }
                    .await;
                let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                let __result = ::ratelimit::HoldBody::hold(
                    __result,
                    ::ratelimit::__private::Lasting::held(__lasting),
                );
                ::core::result::Result::Ok(__result)
            }
        "#]],
    );
    check(
        r#"key = "files", count = 9, algorithm = "concurrency", until = "body_end", fallible"#,
        "fn file() -> BoxFuture<'static, Option<NamedFile>> { Box::pin(async move { open().await }) }",
        &expect![[r#"
            fn file() -> BoxFuture<
                'static,
                ::core::result::Result<
                    Option<::ratelimit::Holding<NamedFile>>,
                    ::ratelimit::Rejection,
                >,
            > {
                let __call = {
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "files",
                            ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                        );
                        ::ratelimit::__private::Call::new(&__SITE)
                    }
                };
                #[allow(clippy::cargo_common_metadata)]
                {
                    Box::pin(async move {
                        let __check = ::ratelimit::__private::Call::admit(__call);
                        let __admission = match __check.await {
                            ::core::result::Result::Ok(__admission) => __admission,
                            ::core::result::Result::Err(__rejection) => {
                                return ::core::result::Result::Err(__rejection);
                            }
                        };
                        let __result: Option<NamedFile> = async move {
                            if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                                Option<NamedFile>,
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
                        ::core::result::Result::Ok(__result)
                    })
                }
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
                        let __check = ::ratelimit::__private::Call::admit(__call);
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

#[test]
fn a_permit_that_may_end_too_early() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency""#,
        "async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> { open().await }",
        &expect![[r#"
            async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> {
                ::ratelimit::__private::Upgrade::limit_without_socket();
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{NoStream as _, OfStream as _};
                    (&&::ratelimit::__private::ReturnOf::<Result<Sse<()>, Error>>::new())
                        .limit_without_stream();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Sse<_>,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { open().await }
            }
        "#]],
    );
}

#[test]
fn a_permit_that_is_said_to_end_early() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "return""#,
        "async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> { open().await }",
        &expect![[r#"
            async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).admit()
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Sse<_>,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { open().await }
            }
        "#]],
    );
}
