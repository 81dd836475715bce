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
            ) -> Result<r::body::Holding<Sse<impl Stream<Item = Event>>>, Error> {
                let __check = {
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(
                    rejection_as::<Result<r::body::Holding<Sse<_>>, Error>>(),
                );
                let __result: Result<Sse<_>, Error> = async move {
                    of_type::<Result<Sse<_>, Error>>();
                    { open(app).await }
                }
                    .await;
                let __held = p::Admission::hold(__admission, &[0], []).await;
                let __result = r::body::HoldBody::hold(__result, __held);
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
                    use probe::ProbeCallers as _;
                    warn_return::<Response>().limit_without_identity();
                }
                let __check = {
                    p::Calls::admit(
                        p::Calls::of([
                            {
                                site::new("bytes", r::Limit::counter(100, core::secs(60)));
                                p::Call::new(&__SITE)
                            },
                            {
                                site::new("misses", r::Limit::counter(100, core::secs(60)));
                                p::Call::new(&__SITE)
                            },
                        ]),
                    )
                };
                let mut __admission = admit_or(
                    <Result<
                        Response,
                        Error,
                    > as p::ResponseOrRejection<
                        _,
                    >>::of_rejection(
                        {
                            use probe::ProbeRefusal as _;
                            (&&&&&&&&&p::ReturnOf::<Result<Response, Error>>::new())
                                .__ratelimit_refusal()
                        },
                        __rejection,
                    ),
                );
                let __cost = p::cost_on_end(|sent| sent.blocks(1024));
                let __settle0 = p::cost_on_end(move |__sent| {
                    use probe::ProbeUnits as _;
                    p::units(p::UnitsOf(__cost(__sent)).__ratelimit_units())
                });
                let __result: Result<Response, Error> = async move {
                    of_type::<Result<Response, Error>>();
                    { open(path).await }
                }
                    .await;
                p::Admission::refund_if(&mut __admission, 1, p::judge(Result::is_ok, &__result));
                let __held = p::Admission::hold(__admission, &[0], [(0, __settle0)]).await;
                let __result = r::body::HoldBody::hold(__result, __held);
                __result
            }
        "#]],
    );
}

#[test]
fn a_declared_stream() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "body_end""#,
        "async fn list(&self, _: Request<Query>) -> Result<Response<Self::ListStream>, Status> { list(self).await }",
        &expect![[r#"
            async fn list(&self, _: Request<Query>) -> Result<Response<Self::ListStream>, Status> {
                let __check = {
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(
                    <Result<
                        Response<Self::ListStream>,
                        Status,
                    > as p::ResponseOrRejection<
                        _,
                    >>::of_rejection(
                        {
                            use probe::ProbeRefusal as _;
                            (&&&&&&&&&p::ReturnOf::<
                                Result<Response<Self::ListStream>, Status>,
                            >::new())
                                .__ratelimit_refusal()
                        },
                        __rejection,
                    ),
                );
                let __result: Result<
                    Response<<Self::ListStream as p::HoldStream>::Stream>,
                    Status,
                > = async move {
                    of_type::<
                        Result<Response<<Self::ListStream as p::HoldStream>::Stream>, Status>,
                    >();
                    { list(self).await }
                }
                    .await;
                let __held = p::Admission::hold(__admission, &[0], []).await;
                let __result = __result
                    .map(|__response| {
                        __response
                            .map(|__stream| <Self::ListStream as p::HoldStream>::hold(
                                __stream,
                                __held,
                            ))
                    });
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
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(rejection_as::<StatusResult<()>>());
                let __result: StatusResult<()> = {
                    #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
                    let mut req = &mut *req;
                    #[allow(unused_mut, unused_variables, clippy::used_underscore_binding)]
                    let mut res = &mut *res;
                    async move {
                        of_type::<StatusResult<()>>();
                        { open(req, res).await }
                    }
                }
                    .await;
                let __held = p::Admission::hold(__admission, &[0], []).await;
                if p::Written::is_written(&__result) {
                    use probe::{FoundBody, MergeTarget, Nothing, ProbeTarget as _, Target};
                    #[allow(clippy::used_underscore_binding)]
                    FoundBody::hold(
                        MergeTarget::merge(
                            MergeTarget::merge(
                                Nothing,
                                Target(&mut *req).__ratelimit_probe_target(),
                            ),
                            Target(&mut *res).__ratelimit_probe_target(),
                        ),
                        __held,
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
            async fn events() -> ::core::result::Result<impl IntoResponse, r::Rejection> {
                let __check = {
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(core::Err(__rejection));
                let __result = async move { open().await }.await;
                let __held = p::Admission::hold(__admission, &[0], []).await;
                let __result = r::body::HoldBody::hold(__result, __held);
                core::Ok(__result)
            }
        "#]],
    );
}
