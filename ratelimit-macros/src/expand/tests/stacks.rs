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
                    use probe::ProbeKeyPart as _;
                    p::Calls::start(
                        p::Calls::of([
                            {
                                enum __Here {}
                                site::new(
                                        ::core::concat!(::core::module_path!(), "::", "search/1s"),
                                        r::Limit::counter(10, core::secs(1)),
                                    )
                                    .in_function(::core::any::type_name::<__Here>);
                                let mut __call = p::Call::new(&__SITE);
                                write(&user.id, &mut p::Call::identity(&mut __call));
                                __call
                            },
                            {
                                enum __Here {}
                                site::new(
                                        ::core::concat!(::core::module_path!(), "::", "search/1d"),
                                        r::Limit::counter(5000, core::secs(86400)),
                                    )
                                    .in_function(::core::any::type_name::<__Here>);
                                let mut __call = p::Call::new(&__SITE);
                                write(&user.id, &mut p::Call::identity(&mut __call));
                                p::Call::cost(&mut __call, 2);
                                __call
                            },
                        ]),
                    )
                };
                decide_or(rejection_as::<Result<Hits, Error>>());
                { find(q).await }
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
                let __check = {
                    match &self.limits {
                        __limiter => {
                            p::Calls::admit(
                                p::Calls::of([
                                    {
                                        site::new("a", r::Limit::counter(100, core::secs(60)));
                                        p::Call::by_limiter(&__SITE, __limiter)
                                    },
                                    {
                                        site::new("b", r::Limit::counter(100, core::secs(60)));
                                        let mut __call = p::Call::by_limiter(&__SITE, __limiter);
                                        #[allow(clippy::used_underscore_binding)]
                                        p::Call::ip(
                                            &mut __call,
                                            {
                                                use probe::{
                                                    Argument, FoundAddress, MergeAddress, Nothing,
                                                    ProbeAddress as _, TrustedAddress,
                                                };
                                                FoundAddress::found(
                                                    TrustedAddress::trusted(merge(Nothing, probe_ip(&peer))),
                                                )
                                            },
                                        );
                                        __call
                                    },
                                    {
                                        site::new("c", r::Limit::concurrency(100, core::secs(60)));
                                        p::Call::by_limiter(&__SITE, __limiter)
                                    },
                                ]),
                            )
                        }
                    }
                };
                let mut __admission = admit_or(rejection_as::<Result<Page, Error>>());
                let __result: Result<Page, Error> = async move {
                    of_type::<Result<Page, Error>>();
                    { self.find().await }
                }
                    .await;
                p::Admission::settle(
                    &mut __admission,
                    1,
                    {
                        use probe::ProbeUnits as _;
                        p::units(
                            p::UnitsOf(p::judge(|page| page.rows, &__result)).__ratelimit_units(),
                        )
                    },
                );
                p::Admission::finish(__admission).await;
                __result
            }
        "#]],
    );
}
