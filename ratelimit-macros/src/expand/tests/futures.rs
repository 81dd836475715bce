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
                    p::Later::of([
                        {
                            use probe::ProbeKeyPart as _;
                            site::new("send:{to}", r::Limit::counter(100, core::secs(60)));
                            let mut __call = p::Call::later(&__SITE);
                            p::Call::alone(&mut __call, &__SITE);
                            write(&to, &mut p::Call::part(&mut __call));
                            __call
                        },
                    ])
                };
                {
                    let smtp = self.smtp.clone();
                    async move {
                        let __check = p::Later::start(__call);
                        decide_or(rejection_as::<Result<(), Error>>());
                        { smtp.send().await }
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
                    use probe::ProbeCallers as _;
                    warn_return::<Row>().limit_without_identity();
                }
                let __call = {
                    p::Later::of([
                        {
                            site::new("get", r::Limit::counter(100, core::secs(60)));
                            p::Call::later(&__SITE)
                        },
                    ])
                };
                p::Box::pin(async move {
                    let __check = p::Later::admit(__call);
                    let mut __admission = admit_or(rejection_as::<Result<Row, Error>>());
                    let __result: Result<Row, Error> = async move {
                        of_type::<Result<Row, Error>>();
                        {
                            p::once(move || -> BoxFuture<'static, Result<Row, Error>> {
                                    if id == 0 {
                                        return none();
                                    }
                                    find(id).boxed()
                                })
                                .await
                        }
                    }
                        .await;
                    p::Admission::refund_if(
                        &mut __admission,
                        0,
                        p::judge(Result::is_err, &__result),
                    );
                    p::Admission::finish(__admission).await;
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
                    if let core::Some(__ret) = core::None::<Result<(), Error>> {
                        #[allow(unreachable_code)] return __ret;
                    }
                    let __self = self;
                    let to = to;
                    let __ret: Result<(), Error> = {
                        let __check = {
                            use probe::ProbeKeyPart as _;
                            site::new("mail:{self.tenant}", r::Limit::counter(100, core::secs(60)));
                            let mut __call = p::Call::new(&__SITE);
                            p::Call::alone(&mut __call, &__SITE);
                            write(&to, &mut p::Call::identity(&mut __call));
                            write(&__self.tenant, &mut p::Call::part(&mut __call));
                            p::Call::start(&mut __call)
                        };
                        decide_or(rejection_as::<Result<(), Error>>());
                        { __self.smtp.send(to).await }
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
            fn events() -> impl Future<Output = r::body::Holding<Sse<impl Stream<Item = Event>>>> {
                let __call = {
                    p::Later::of([
                        {
                            site::new("events", r::Limit::concurrency(9, core::secs(60)));
                            p::Call::later(&__SITE)
                        },
                    ])
                };
                {
                    async move {
                        let __check = p::Later::admit(__call);
                        let __admission = admit_or(rejection_as::<r::body::Holding<Sse<_>>>());
                        let __result: Sse<_> = async move {
                            of_type::<Sse<_>>();
                            { open().await }
                        }
                            .await;
                        let __held = p::Admission::hold(__admission, &[0], []).await;
                        let __result = r::body::HoldBody::hold(__result, __held);
                        __result
                    }
                }
            }
        "#]],
    );
}
