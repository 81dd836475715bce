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
                    use probe::{Argument, KeptAddress, MergeAddress, Nothing, ProbeAddress as _};
                    KeptAddress::kept(merge(Nothing, probe_ip(&__parameter0)))
                };
                let ConnectInfo(peer) = __parameter0;
                let __check = {
                    enum __Here {}
                    site::new(
                            ::core::concat!(::core::module_path!(), "::", "list"),
                            r::Limit::counter(100, core::secs(60)),
                        )
                        .in_function(::core::any::type_name::<__Here>);
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::alone(&mut __call, &__SITE);
                    #[allow(clippy::used_underscore_binding)]
                    p::Call::ip(
                        &mut __call,
                        {
                            use probe::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    merge(merge(Nothing, __ip), probe_ip(&query)),
                                ),
                            )
                        },
                    );
                    p::Call::start(&mut __call)
                };
                decide_or(rejection_as::<Result<Page, ApiError>>());
                { page(query) }
            }
        "#]],
    );
}

#[test]
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
                    use probe::ProbeKeyPart as _;
                    site::per_call("report:{kind}:{tenant.id}");
                    let mut __call = p::Call::by_limiter(&__SITE, &self.limits);
                    p::Call::limit(
                        &mut __call,
                        p::limit::with_burst(
                            p::limit::with_refill(
                                r::Limit::try_token_bucket(plan.rate(), self.window),
                                r::Refill::Interval,
                            ),
                            BURST,
                        ),
                    );
                    #[allow(clippy::used_underscore_binding)]
                    p::Call::ip(
                        &mut __call,
                        {
                            use probe::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    merge(
                                        merge(
                                            merge(merge(Nothing, probe_ip(&peer)), probe_ip(&user)),
                                            probe_ip(&tenant),
                                        ),
                                        probe_ip(&kind),
                                    ),
                                ),
                            )
                        },
                    );
                    write(&&user.id, &mut p::Call::identity(&mut __call));
                    write(&(shard % 16), &mut p::Call::identity(&mut __call));
                    write(&kind, &mut p::Call::part(&mut __call));
                    write(&tenant.id, &mut p::Call::part(&mut __call));
                    {
                        static __ZERO_COSTS: p::ZeroCosts = p::ZeroCosts::new();
                        p::Call::computed_cost(
                            &mut __call,
                            {
                                use probe::ProbeUnits as _;
                                p::units(p::UnitsOf(rows / 1000 + 1).__ratelimit_units())
                            },
                            &__ZERO_COSTS,
                        );
                    }
                    p::Call::start(&mut __call)
                };
                decide_or(rejection_as::<Result<Report, Error>>());
                { run() }
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
                if let core::Some(_) = __check {
                    if let core::Err(__rejection) = my::limits::__private::Check::of_pending(__check)
                        .await
                    {
                        return my::limits::__private::on_limit(|_| None, __rejection);
                    }
                } else {
                    core::drop(__check);
                }
                { self.next() }
            }
        "#]],
    );
}
