//! Snapshots of return types that the attribute changes.

use super::check;
use expect_test::expect;

#[test]
fn a_function_that_becomes_fallible() {
    check(
        r#"key = "greet", fallible, by = name"#,
        "async fn greet(name: &str) -> String { hello(name) }",
        &expect![[r#"
            async fn greet(name: &str) -> ::core::result::Result<String, ::ratelimit::Rejection> {
                let __check = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeKeyPart as _;
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "greet",
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&name)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::identity(&mut __call),
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
                        return ::core::result::Result::Err(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                let __result: String = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        String,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { hello(name) }
                }
                    .await;
                ::core::result::Result::Ok(__result)
            }
        "#]],
    );
}

#[test]
fn an_opaque_return_type_is_widened() {
    check(
        r#"key = "page""#,
        "async fn page() -> impl IntoResponse { #![allow(unused)] Html(\"hello\") }",
        &expect![[r#"
            async fn page() -> ::core::result::Result<impl IntoResponse, ::ratelimit::Rejection> {
                #![allow(unused)]
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
                        return ::core::result::Result::Err(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                ::core::result::Result::Ok(async move { Html("hello") }.await)
            }
        "#]],
    );
}

#[test]
fn a_file_of_a_function_that_becomes_fallible() {
    check(
        r#"key = "files", count = 9, algorithm = "concurrency", until = "body_end", fallible"#,
        "async fn file() -> Option<NamedFile> { open().await }",
        &expect![[r#"
            async fn file() -> ::core::result::Result<
                Option<::ratelimit::Holding<NamedFile>>,
                ::ratelimit::Rejection,
            > {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "files",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return ::core::result::Result::Err(__rejection);
                    }
                };
                let __result: Option<NamedFile> = async move {
                    if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                        Option<NamedFile>,
                    > {
                        return __result;
                    }
                    #[allow(clippy::cargo_common_metadata)] { open().await }
                }
                    .await;
                let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0]).await;
                let __result = ::ratelimit::HoldBody::hold(
                    __result,
                    ::ratelimit::__private::Lasting::held(__lasting),
                );
                ::core::result::Result::Ok(__result)
            }
        "#]],
    );
    check(
        r#"key = "files", count = 9, algorithm = "concurrency", until = "body_end", fallible"#,
        "fn file() -> BoxFuture<'static, Option<NamedFile>> { Box::pin(async move { open().await }) }",
        &expect![[r#"
            fn file() -> BoxFuture<
                'static,
                ::core::result::Result<
                    Option<::ratelimit::Holding<NamedFile>>,
                    ::ratelimit::Rejection,
                >,
            > {
                let __call = {
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "files",
                            ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                        );
                        ::ratelimit::__private::Call::new(&__SITE)
                    }
                };
                #[allow(clippy::cargo_common_metadata)]
                {
                    Box::pin(async move {
                        let __check = { ::ratelimit::__private::Call::admit(__call) };
                        let __admission = match __check.await {
                            ::core::result::Result::Ok(__admission) => __admission,
                            ::core::result::Result::Err(__rejection) => {
                                return ::core::result::Result::Err(__rejection);
                            }
                        };
                        let __result: Option<NamedFile> = async move {
                            if let ::core::option::Option::Some(__result) = ::core::option::Option::None::<
                                Option<NamedFile>,
                            > {
                                return __result;
                            }
                            #[allow(clippy::cargo_common_metadata)] { open().await }
                        }
                            .await;
                        let __lasting = ::ratelimit::__private::Admission::hold(__admission, &[0])
                            .await;
                        let __result = ::ratelimit::HoldBody::hold(
                            __result,
                            ::ratelimit::__private::Lasting::held(__lasting),
                        );
                        ::core::result::Result::Ok(__result)
                    })
                }
            }
        "#]],
    );
}
