//! Snapshots of identities, numbers and constants.

use super::check;
use expect_test::expect;

#[test]
fn a_handler_limited_by_address() {
    check(
        r#"time = "1m", by = "ip""#,
        "async fn list(ConnectInfo(peer): ConnectInfo<SocketAddr>, query: Query) -> Result<Page, ApiError> { page(query) }",
        &expect![[r#"
            async fn list(
                __parameter0: ConnectInfo<SocketAddr>,
                query: Query,
            ) -> Result<Page, ApiError> {
                #[allow(clippy::used_underscore_binding)]
                let __ip = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{
                        Argument, KeptAddress, MergeAddress, Nothing, ProbeAddress as _,
                    };
                    KeptAddress::kept(
                        MergeAddress::merge(
                            Nothing,
                            (&&&&&Argument(&__parameter0)).__ratelimit_probe_ip(),
                        ),
                    )
                };
                let ConnectInfo(peer) = __parameter0;
                let __check = {
                    enum __Here {}
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            ::core::concat!(::core::module_path!(), "::", "list"),
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        )
                        .in_function(::core::any::type_name::<__Here>);
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    #[allow(clippy::used_underscore_binding)]
                    ::ratelimit::__private::Call::ip(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    MergeAddress::merge(
                                        MergeAddress::merge(Nothing, __ip),
                                        (&&&&&Argument(&query)).__ratelimit_probe_ip(),
                                    ),
                                ),
                            )
                        },
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
                            Page,
                            ApiError,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { page(query) }
            }
        "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "the expansion of one attribute is long")]
fn values_that_are_known_at_the_call() {
    check(
        r#"key = "report:{kind}:{tenant.id}", time = self.window, count = plan.rate(), algorithm = "token_bucket",
           burst = BURST, refill = "interval", by = ("ip", &user.id, shard % 16), cost = rows / 1000 + 1, limiter = self.limits"#,
        "async fn report(&self, peer: SocketAddr, user: &User, tenant: &Tenant, kind: &str) -> Result<Report, Error> { run() }",
        &expect![[r#"
            async fn report(
                &self,
                peer: SocketAddr,
                user: &User,
                tenant: &Tenant,
                kind: &str,
            ) -> Result<Report, Error> {
                let __check = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeKeyPart as _;
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::per_call(
                        "report:{kind}:{tenant.id}",
                    );
                    let mut __call = ::ratelimit::__private::Call::by_limiter(&__SITE, &self.limits);
                    ::ratelimit::__private::Call::limit(
                        &mut __call,
                        ::ratelimit::__private::limit::with_burst(
                            ::ratelimit::__private::limit::with_refill(
                                ::ratelimit::__private::limit::token_bucket(
                                    plan.rate(),
                                    self.window,
                                ),
                                ::ratelimit::Refill::Interval,
                            ),
                            BURST,
                        ),
                    );
                    #[allow(clippy::used_underscore_binding)]
                    ::ratelimit::__private::Call::ip(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    MergeAddress::merge(
                                        MergeAddress::merge(
                                            MergeAddress::merge(
                                                MergeAddress::merge(
                                                    Nothing,
                                                    (&&&&&Argument(&peer)).__ratelimit_probe_ip(),
                                                ),
                                                (&&&&&Argument(&user)).__ratelimit_probe_ip(),
                                            ),
                                            (&&&&&Argument(&tenant)).__ratelimit_probe_ip(),
                                        ),
                                        (&&&&&Argument(&kind)).__ratelimit_probe_ip(),
                                    ),
                                ),
                            )
                        },
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&&user.id)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::identity(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&(shard % 16))).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::identity(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&kind)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::part(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&tenant.id)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::part(&mut __call),
                    );
                    ::ratelimit::__private::Call::cost(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::ProbeUnits as _;
                            ::ratelimit::__private::units(
                                ::ratelimit::__private::Given(rows / 1000 + 1).__ratelimit_units(),
                            )
                        },
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
                            Report,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { run() }
            }
        "#]],
    );
}

#[test]
fn constants_of_a_generic_type() {
    check(
        r#"key = "jobs", time = T::WINDOW, count = Self::RATE, on_limit = |_| None, crate = my::limits"#,
        "async fn take<T: Plan>(&self) -> Option<Job> { self.next() }",
        &expect![[r#"
            async fn take<T: Plan>(&self) -> Option<Job> {
                {
                    #[allow(unused_imports)]
                    use my::limits::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&my::limits::__private::ReturnOf::<Job>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                {
                    #[allow(unused_imports)]
                    use my::limits::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&my::limits::__private::ReturnOf::<Job>::new())
                        .__ratelimit_callers()
                        .refusal_looks_like_nothing();
                }
                let __check = {
                    my::limits::__private::Call::start(
                        &mut my::limits::__private::Call::new(const {
                            &my::limits::__private::Site::new(
                                "jobs",
                                my::limits::Limit::counter(
                                    my::limits::__private::limit::count(Self::RATE),
                                    my::limits::__private::limit::time(T::WINDOW),
                                ),
                            )
                        }),
                    )
                };
                let __check = my::limits::__private::Check::pending(__check);
                if let ::core::option::Option::Some(_) = __check {
                    if let ::core::result::Result::Err(__rejection) = my::limits::__private::Check::of_pending(
                            __check,
                        )
                        .await
                    {
                        return my::limits::__private::on_limit(|_| None, __rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { self.next() }
            }
        "#]],
    );
}
