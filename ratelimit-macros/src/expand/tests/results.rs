//! Snapshots of return types that the attribute changes.

use super::check;
use expect_test::expect;

#[test]
fn a_function_that_becomes_fallible() {
    check(
        r#"key = "greet", fallible, by = name"#,
        "async fn greet(name: &str) -> String { hello(name) }",
        &expect![[r#"
            async fn greet(name: &str) -> ::core::result::Result<String, r::Rejection> {
                let __check = {
                    use probe::ProbeKeyPart as _;
                    site::new("greet", r::Limit::counter(100, core::secs(60)));
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::alone(&mut __call, &__SITE);
                    write(&name, &mut p::Call::identity(&mut __call));
                    p::Call::start(&mut __call)
                };
                decide_or(core::Err(__rejection));
                let __result: String = async move {
                    of_type::<String>();
                    { hello(name) }
                }
                    .await;
                core::Ok(__result)
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
            async fn page() -> ::core::result::Result<impl IntoResponse, r::Rejection> {
                #![allow(unused)]
                {
                    use probe::ProbeCallers as _;
                    p::OfClients.limit_without_identity();
                }
                let __check = {
                    site::new("page", r::Limit::counter(100, core::secs(60)));
                    p::Check::of_site(&__SITE)
                };
                decide_or(core::Err(__rejection));
                core::Ok(async move { Html("hello") }.await)
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
                Option<r::body::Holding<NamedFile>>,
                r::Rejection,
            > {
                let __check = {
                    site::new("files", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(core::Err(__rejection));
                let __result: Option<NamedFile> = async move {
                    of_type::<Option<NamedFile>>();
                    { open().await }
                }
                    .await;
                let __held = p::Admission::hold(__admission, &[0], []).await;
                let __result = r::body::HoldBody::hold(__result, __held);
                core::Ok(__result)
            }
        "#]],
    );
    check(
        r#"key = "files", count = 9, algorithm = "concurrency", until = "body_end", fallible"#,
        "fn file() -> BoxFuture<'static, Option<NamedFile>> { Box::pin(async move { open().await }) }",
        &expect![[r#"
            fn file() -> BoxFuture<
                'static,
                ::core::result::Result<Option<r::body::Holding<NamedFile>>, r::Rejection>,
            > {
                let __call = {
                    p::Later::of([
                        {
                            site::new("files", r::Limit::concurrency(9, core::secs(60)));
                            p::Call::later(&__SITE)
                        },
                    ])
                };
                {
                    Box::pin(async move {
                        let __check = p::Later::admit(__call);
                        let __admission = admit_or(core::Err(__rejection));
                        let __result: Option<NamedFile> = async move {
                            of_type::<Option<NamedFile>>();
                            { open().await }
                        }
                            .await;
                        let __held = p::Admission::hold(__admission, &[0], []).await;
                        let __result = r::body::HoldBody::hold(__result, __held);
                        core::Ok(__result)
                    })
                }
            }
        "#]],
    );
}
