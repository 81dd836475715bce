//! Snapshots of limits that last until the body of the response ends.

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
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
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
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ReturnOf::<Response>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
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
                        > as ::ratelimit::__private::ResponseOrRejection>::of_rejection(__rejection);
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
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
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
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
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
