//! Snapshots of charges that depend on the result.

use super::check;
use expect_test::expect;

#[test]
fn a_charge_that_is_given_back() {
    check(
        r#"key = "search", refund_if = |result| result.is_err()"#,
        "async fn search(query: Query) -> Result<Hits, Error> { find(query).await }",
        &expect![[r#"
            async fn search(query: Query) -> Result<Hits, Error> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ArgumentOf::<Query>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                    (&&&&&&&&&&&&::ratelimit::__private::ReturnOf::<Hits>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "search",
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
                };
                let mut __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Hits,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                let __result: Result<Hits, Error> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Result<Hits, Error>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { find(query).await }
                }
                    .await;
                ::ratelimit::__private::Admission::refund_if(
                    &mut __admission,
                    0,
                    ::ratelimit::__private::judge(|result| result.is_err(), &__result),
                );
                ::ratelimit::__private::Admission::finish(__admission).await;
                __result
            }
        "#]],
    );
}

#[test]
fn a_charge_that_comes_later_in_a_method_of_async_trait() {
    check(
        r#"key = "login", charge_if = |_| self.strict"#,
        "fn login<'a, 'async_trait>(&'a self)
            -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = ()> + ::core::marker::Send + 'async_trait>> {
            Box::pin(async move {
                let __self = self;
                let _: () = { __self.open().await; };
            })
        }",
        &expect![[r#"
            fn login<'a, 'async_trait>(
                &'a self,
            ) -> ::core::pin::Pin<
                Box<dyn ::core::future::Future<Output = ()> + ::core::marker::Send + 'async_trait>,
            > {
                Box::pin(async move {
                    let __self = self;
                    let _: () = {
                        let __check = {
                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                "login",
                                ::ratelimit::Limit::counter(
                                    100,
                                    ::core::time::Duration::from_secs(60),
                                ),
                            );
                            let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                            ::ratelimit::__private::Call::charge_after(&mut __call);
                            ::ratelimit::__private::Call::admit(__call)
                        };
                        let mut __admission = match __check.await {
                            ::core::result::Result::Ok(__admission) => __admission,
                            ::core::result::Result::Err(__rejection) => {
                                return {
                                    #[allow(unused_imports)]
                                    use ::ratelimit::__private::{
                                        FoundTarget, MergeTarget, Nothing, ProbeTarget as _, Target,
                                    };
                                    #[allow(clippy::used_underscore_binding)]
                                    FoundTarget::reject(Nothing, __rejection);
                                };
                            }
                        };
                        let __result: () = async move {
                            if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                                (),
                            > {
                                return __result;
                            }
                            #[allow(clippy::cargo_common_metadata)]
                            {
                                __self.open().await;
                            }
                        }
                            .await;
                        ::ratelimit::__private::Admission::charge_if(
                            &mut __admission,
                            0,
                            ::ratelimit::__private::judge(|_| __self.strict, &__result),
                        );
                        ::ratelimit::__private::Admission::finish(__admission).await;
                        __result
                    };
                })
            }
        "#]],
    );
}

#[test]
fn the_true_cost_of_an_opaque_result() {
    check(
        r#"key = "page", cost = 10, settle = Page::rows"#,
        "async fn page() -> impl IntoResponse { Page::read().await }",
        &expect![[r#"
            async fn page() -> ::core::result::Result<impl IntoResponse, ::ratelimit::Rejection> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    ::ratelimit::__private::OfClients.limit_without_identity();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "page",
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    ::ratelimit::__private::Call::cost(&mut __call, 10);
                    ::ratelimit::__private::Call::admit(__call)
                };
                let mut __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return ::core::result::Result::Err(__rejection);
                    }
                };
                let __result = async move { Page::read().await }.await;
                ::ratelimit::__private::Admission::settle(
                    &mut __admission,
                    0,
                    {
                        #[allow(unused_imports)]
                        use ::ratelimit::__private::ProbeUnits as _;
                        ::ratelimit::__private::units(
                            ::ratelimit::__private::Given(
                                    ::ratelimit::__private::judge(Page::rows, &__result),
                                )
                                .__ratelimit_units(),
                        )
                    },
                );
                ::ratelimit::__private::Admission::finish(__admission).await;
                ::core::result::Result::Ok(__result)
            }
        "#]],
    );
}
