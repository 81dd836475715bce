//! Snapshots of several limits on one function.

use super::check;
use expect_test::expect;

#[test]
fn two_limits() {
    check(
        r#"time = "1s", count = 10, by = user.id"#,
        r#"#[instrument]
        #[rate_limit(time = "1d", count = 5000, by = user.id, cost = 2)]
        async fn search(user: User, q: Query) -> Result<Hits, Error> { find(q).await }"#,
        &expect![[r#"
            #[instrument]
            async fn search(user: User, q: Query) -> Result<Hits, Error> {
                let __check = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeKeyPart as _;
                    ::ratelimit::__private::Calls::start(
                        ::ratelimit::__private::Call::and(
                            {
                                enum __Here {}
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                        ::core::concat!(::core::module_path!(), "::", "search/1s"),
                                        ::ratelimit::Limit::counter(
                                            10,
                                            ::core::time::Duration::from_secs(1),
                                        ),
                                    )
                                    .in_function(::core::any::type_name::<__Here>);
                                let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                                ::ratelimit::__private::Way::write(
                                    (&&&&::ratelimit::__private::KeyPart(&user.id))
                                        .__ratelimit_key_part(),
                                    &mut ::ratelimit::__private::Call::identity(&mut __call),
                                );
                                __call
                            },
                            {
                                enum __Here {}
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                        ::core::concat!(::core::module_path!(), "::", "search/1d"),
                                        ::ratelimit::Limit::counter(
                                            5000,
                                            ::core::time::Duration::from_secs(86400),
                                        ),
                                    )
                                    .in_function(::core::any::type_name::<__Here>);
                                let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                                ::ratelimit::__private::Way::write(
                                    (&&&&::ratelimit::__private::KeyPart(&user.id))
                                        .__ratelimit_key_part(),
                                    &mut ::ratelimit::__private::Call::identity(&mut __call),
                                );
                                ::ratelimit::__private::Call::cost(&mut __call, 2);
                                __call
                            },
                        ),
                    )
                };
                let __check = ::ratelimit::__private::Check::pending(__check);
                if let ::core::option::Option::Some(_) = __check {
                    if let ::core::result::Result::Err(__rejection) = ::ratelimit::__private::Check::of_pending(
                            __check,
                        )
                        .await
                    {
                        return <Result<
                            Hits,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { find(q).await }
            }
        "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "the expansion of one attribute is long")]
fn three_limits_by_one_limiter_one_of_which_is_a_permit() {
    check(
        r#"key = "a", limiter = self.limits"#,
        r#"#[ratelimit::rate_limit(key = "b", by = "ip", settle = |page| page.rows)]
        #[rate_limit(key = "c", algorithm = "concurrency")]
        async fn search(&self, peer: IpAddr) -> Result<Page, Error> { self.find().await }"#,
        &expect![[r#"
            async fn search(&self, peer: IpAddr) -> Result<Page, Error> {
                let __check = {
                    match &self.limits {
                        __limiter => {
                            ::ratelimit::__private::Calls::admit(
                                ::ratelimit::__private::Calls::and(
                                    ::ratelimit::__private::Call::and(
                                        {
                                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                                "a",
                                                ::ratelimit::Limit::counter(
                                                    100,
                                                    ::core::time::Duration::from_secs(60),
                                                ),
                                            );
                                            ::ratelimit::__private::Call::by_limiter(&__SITE, __limiter)
                                        },
                                        {
                                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                                "b",
                                                ::ratelimit::Limit::counter(
                                                    100,
                                                    ::core::time::Duration::from_secs(60),
                                                ),
                                            );
                                            let mut __call = ::ratelimit::__private::Call::by_limiter(
                                                &__SITE,
                                                __limiter,
                                            );
                                            #[allow(clippy::used_underscore_binding)]
                                            ::ratelimit::__private::Call::ip(
                                                &mut __call,
                                                {
                                                    #[allow(unused_imports)]
                                                    use ::ratelimit::__private::{
                                                        Argument, FoundAddress, MergeAddress, Nothing,
                                                        ProbeAddress as _, TrustedAddress,
                                                    };
                                                    FoundAddress::found(
                                                        TrustedAddress::trusted(
                                                            MergeAddress::merge(
                                                                Nothing,
                                                                (&&&&&Argument(&peer)).__ratelimit_probe_ip(),
                                                            ),
                                                        ),
                                                    )
                                                },
                                            );
                                            __call
                                        },
                                    ),
                                    {
                                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                            "c",
                                            ::ratelimit::Limit::concurrency(
                                                100,
                                                ::core::time::Duration::from_secs(60),
                                            ),
                                        );
                                        ::ratelimit::__private::Call::by_limiter(&__SITE, __limiter)
                                    },
                                ),
                            )
                        }
                    }
                };
                let mut __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Page,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                let __result: Result<Page, Error> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Result<Page, Error>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { self.find().await }
                }
                    .await;
                ::ratelimit::__private::Admission::settle(
                    &mut __admission,
                    1,
                    {
                        #[allow(unused_imports)]
                        use ::ratelimit::__private::ProbeUnits as _;
                        ::ratelimit::__private::units(
                            ::ratelimit::__private::Given(
                                    ::ratelimit::__private::judge(|page| page.rows, &__result),
                                )
                                .__ratelimit_units(),
                        )
                    },
                );
                ::ratelimit::__private::Admission::finish(__admission).await;
                __result
            }
        "#]],
    );
}
