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
                let check = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeKeyPart as _;
                    ::ratelimit::__private::Calls::start(
                        ::ratelimit::__private::Call::and(
                            {
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                    ::core::concat!(::core::module_path!(), "::", "search/1s"),
                                    ::ratelimit::Limit::counter(
                                        10,
                                        ::core::time::Duration::from_secs(1),
                                    ),
                                );
                                let mut call = ::ratelimit::__private::Call::new(&__SITE);
                                ::ratelimit::__private::Way::write(
                                    (&&&&::ratelimit::__private::KeyPart(&user.id))
                                        .__ratelimit_key_part(),
                                    &mut ::ratelimit::__private::Call::identity(&mut call),
                                );
                                call
                            },
                            {
                                static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                    ::core::concat!(::core::module_path!(), "::", "search/1d"),
                                    ::ratelimit::Limit::counter(
                                        5000,
                                        ::core::time::Duration::from_secs(86400),
                                    ),
                                );
                                let mut call = ::ratelimit::__private::Call::new(&__SITE);
                                ::ratelimit::__private::Way::write(
                                    (&&&&::ratelimit::__private::KeyPart(&user.id))
                                        .__ratelimit_key_part(),
                                    &mut ::ratelimit::__private::Call::identity(&mut call),
                                );
                                ::ratelimit::__private::Call::cost(&mut call, 2);
                                call
                            },
                        ),
                    )
                };
                if let ::core::result::Result::Err(rejection) = check.await {
                    return <Result<
                        Hits,
                        Error,
                    > as ::ratelimit::FromRejection>::from_rejection(rejection);
                }
                #[allow(clippy::cargo_common_metadata)] { find(q).await }
            }
        "#]],
    );
}

#[test]
fn three_limits_by_one_limiter_one_of_which_is_a_permit() {
    check(
        r#"key = "a", limiter = self.limits"#,
        r#"#[ratelimit::rate_limit(key = "b", by = "ip", settle = |page| page.rows)]
        #[rate_limit(key = "c", algorithm = "concurrency")]
        async fn search(&self, peer: IpAddr) -> Result<Page, Error> { self.find().await }"#,
        &expect![[r#"
            async fn search(&self, peer: IpAddr) -> Result<Page, Error> {
                let check = {
                    match &self.limits {
                        limiter => {
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
                                            ::ratelimit::__private::Call::by_limiter(&__SITE, limiter)
                                        },
                                        {
                                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                                "b",
                                                ::ratelimit::Limit::counter(
                                                    100,
                                                    ::core::time::Duration::from_secs(60),
                                                ),
                                            );
                                            let mut call = ::ratelimit::__private::Call::by_limiter(
                                                &__SITE,
                                                limiter,
                                            );
                                            #[allow(clippy::used_underscore_binding)]
                                            ::ratelimit::__private::Call::ip(
                                                &mut call,
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
                                            call
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
                                        ::ratelimit::__private::Call::by_limiter(&__SITE, limiter)
                                    },
                                ),
                            )
                        }
                    }
                };
                let mut admission = match check.await {
                    ::core::result::Result::Ok(admission) => admission,
                    ::core::result::Result::Err(rejection) => {
                        return <Result<
                            Page,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(rejection);
                    }
                };
                let result: Result<Page, Error> = async move {
                    if let ::core::option::Option::Some(result) = ::core::option::Option::None::<
                        Result<Page, Error>,
                    > {
                        return result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { self.find().await }
                }
                    .await;
                ::ratelimit::__private::Admission::settle(
                    &mut admission,
                    1,
                    ::ratelimit::__private::judge(|page| page.rows, &result),
                );
                ::ratelimit::__private::Admission::finish(admission).await;
                result
            }
        "#]],
    );
}
