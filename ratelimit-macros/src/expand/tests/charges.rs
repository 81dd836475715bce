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
                    use probe::ProbeCallers as _;
                    warn_argument::<Query>().limit_without_identity();
                    warn_return::<Hits>().limit_without_identity();
                }
                let __check = {
                    site::new("search", r::Limit::counter(100, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let mut __admission = admit_or(rejection_as::<Result<Hits, Error>>());
                let __result: Result<Hits, Error> = async move {
                    of_type::<Result<Hits, Error>>();
                    { find(query).await }
                }
                    .await;
                p::Admission::refund_if(
                    &mut __admission,
                    0,
                    p::judge(|result| result.is_err(), &__result),
                );
                p::Admission::finish(__admission).await;
                __result
            }
        "#]],
    );
}

#[test]
fn a_charge_that_is_given_back_in_a_method_of_async_trait() {
    check(
        r#"key = "login", refund_if = |_| self.strict"#,
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
                            site::new("login", r::Limit::counter(100, core::secs(60)));
                            p::Call::admit(p::Call::new(&__SITE))
                        };
                        let mut __admission = admit_or({
                            use probe::{
                                FoundTargetOfMethod, MergeTarget, Nothing, ProbeTarget as _, Target,
                            };
                            #[allow(clippy::used_underscore_binding)]
                            FoundTargetOfMethod::reject(Nothing, __rejection);
                        });
                        let __result: () = async move {
                            of_type::<()>();
                            {
                                __self.open().await;
                            }
                        }
                            .await;
                        p::Admission::refund_if(
                            &mut __admission,
                            0,
                            p::judge(|_| __self.strict, &__result),
                        );
                        p::Admission::finish(__admission).await;
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
            async fn page() -> ::core::result::Result<impl IntoResponse, r::Rejection> {
                {
                    use probe::ProbeCallers as _;
                    p::OfClients.limit_without_identity();
                }
                let __check = {
                    site::new("page", r::Limit::counter(100, core::secs(60)));
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::cost(&mut __call, 10);
                    p::Call::admit(__call)
                };
                let mut __admission = admit_or(core::Err(__rejection));
                let __result = async move { Page::read().await }.await;
                p::Admission::settle(
                    &mut __admission,
                    0,
                    {
                        use probe::ProbeUnits as _;
                        p::units(p::UnitsOf(p::judge(Page::rows, &__result)).__ratelimit_units())
                    },
                );
                p::Admission::finish(__admission).await;
                core::Ok(__result)
            }
        "#]],
    );
}

#[test]
fn units_that_are_left_to_others() {
    check(
        r#"key = "render", keep = if user.pays { 0 } else { 20 }"#,
        "async fn render(user: &User) -> Result<(), Error> { draw().await }",
        &expect![[r#"
            async fn render(user: &User) -> Result<(), Error> {
                {
                    use probe::ProbeCallers as _;
                    (&&&p::ArgumentOf::<&User>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __check = {
                    site::new("render", r::Limit::counter(100, core::secs(60)));
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::alone(&mut __call, &__SITE);
                    p::Call::keep(
                        &mut __call,
                        {
                            use probe::ProbeUnits as _;
                            p::units(p::UnitsOf(if user.pays { 0 } else { 20 }).__ratelimit_units())
                        },
                    );
                    p::Call::start(&mut __call)
                };
                decide_or(rejection_as::<Result<(), Error>>());
                { draw().await }
            }
        "#]],
    );
}

#[test]
fn a_cost_that_is_learned() {
    check(
        r#"key = "tokens", cost = learn(request.max_tokens, &request.model), settle = |tokens| tokens.unwrap_or(0)"#,
        "async fn complete(request: Request) -> Result<u32, Error> { ask(request).await }",
        &expect![[r#"
            async fn complete(request: Request) -> Result<u32, Error> {
                {
                    use probe::ProbeCallers as _;
                    warn_argument::<Request>().limit_without_identity();
                }
                let __check = {
                    site::new("tokens", r::Limit::counter(100, core::secs(60)));
                    let mut __call = p::Call::new(&__SITE);
                    {
                        static __ESTIMATOR: r::learn::Estimator = r::learn::Estimator::new();
                        p::Call::learned_cost(
                            &mut __call,
                            &__ESTIMATOR,
                            p::class_of(&&request.model),
                            {
                                use probe::ProbeUnits as _;
                                p::units(p::UnitsOf(request.max_tokens).__ratelimit_units())
                            },
                        );
                    }
                    p::Call::admit(__call)
                };
                let mut __admission = admit_or(
                    <Result<
                        u32,
                        Error,
                    > as r::FromRejection>::from_rejection(
                        {
                            use probe::ProbeRefusal as _;
                            (&&&&&&&&&p::ReturnOf::<Result<(), Error>>::new()).__ratelimit_refusal()
                        }
                            .hidden(__rejection),
                    ),
                );
                let __result: Result<u32, Error> = async move {
                    of_type::<Result<u32, Error>>();
                    { ask(request).await }
                }
                    .await;
                p::Admission::settle(
                    &mut __admission,
                    0,
                    {
                        use probe::ProbeUnits as _;
                        p::units(
                            p::UnitsOf(p::judge(|tokens| tokens.unwrap_or(0), &__result))
                                .__ratelimit_units(),
                        )
                    },
                );
                p::Admission::finish(__admission).await;
                __result
            }
        "#]],
    );
}
