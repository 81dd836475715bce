//! Snapshots of waiting and of permits.

use super::check;
use expect_test::expect;

#[test]
fn a_call_that_waits_for_its_turn() {
    check(
        r#"key = "mail", time = "1s", count = 10, algorithm = "leaky_bucket", wait = "2s""#,
        "async fn send(mail: Mail) -> Result<(), Error> { post(mail).await }",
        &expect![[r#"
            async fn send(mail: Mail) -> Result<(), Error> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ArgumentOf::<Mail>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "mail",
                        ::ratelimit::Limit::wait(
                            ::ratelimit::Limit::leaky_bucket(
                                10,
                                ::core::time::Duration::from_secs(1),
                            ),
                            ::core::time::Duration::from_secs(2),
                        ),
                    );
                    static __REQUEST: ::ratelimit::__private::SiteRequest = ::ratelimit::__private::SiteRequest::new();
                    ::ratelimit::__private::Check::of_site(&__SITE, &__REQUEST)
                };
                let __check = ::ratelimit::__private::Check::pending(__check);
                if let ::core::option::Option::Some(_) = __check {
                    if let ::core::result::Result::Err(__rejection) = ::ratelimit::__private::Check::of_pending(
                            __check,
                        )
                        .await
                    {
                        return <Result<
                            (),
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { post(mail).await }
            }
        "#]],
    );
}

#[test]
fn a_permit() {
    check(
        r#"key = "render", count = 4, algorithm = "concurrency", wait = patience"#,
        "async fn render(page: Page, patience: Duration) -> Result<Image, Error> { draw(page).await }",
        &expect![[r#"
            async fn render(page: Page, patience: Duration) -> Result<Image, Error> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::per_call(
                        "render",
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    ::ratelimit::__private::Call::limit(
                        &mut __call,
                        ::ratelimit::__private::limit::with_wait(
                            ::ratelimit::__private::limit::concurrency(
                                4,
                                ::core::time::Duration::from_secs(60),
                            ),
                            patience,
                        ),
                    );
                    ::ratelimit::__private::Call::admit(__call)
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Image,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { draw(page).await }
            }
        "#]],
    );
}

#[test]
fn a_limit_that_may_be_of_permits() {
    check(
        "limit = self.plan.limit",
        "async fn render(&self) -> Result<Image, Error> { self.draw().await }",
        &expect![[r#"
            async fn render(&self) -> Result<Image, Error> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::per_call(
                        ::core::concat!(::core::module_path!(), "::", "render"),
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    ::ratelimit::__private::Call::limit(
                        &mut __call,
                        ::ratelimit::__private::limit::value(self.plan.limit),
                    );
                    ::ratelimit::__private::Call::of_type(
                        &mut __call,
                        ::core::any::type_name::<Self>(),
                    );
                    ::ratelimit::__private::Call::admit(__call)
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Image,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { self.draw().await }
            }
        "#]],
    );
}
