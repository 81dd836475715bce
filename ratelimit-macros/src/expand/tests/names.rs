//! Snapshots of names.

use super::check;
use expect_test::expect;

#[test]
fn a_key_that_looks_like_a_path() {
    check(
        r#"key = "api::search""#,
        "async fn search() -> Result<Hits, Error> { find() }",
        &expect![[r#"
            async fn search() -> Result<Hits, Error> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ReturnOf::<Hits>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "api::search",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        )
                        .written();
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
                            Hits,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { find() }
            }
        "#]],
    );
}
