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
                    use probe::ProbeCallers as _;
                    warn_return::<Hits>().limit_without_identity();
                }
                let __check = {
                    site::new("api::search", r::Limit::counter(100, core::secs(60))).written();
                    p::Check::of_site(&__SITE)
                };
                decide_or(rejection_as::<Result<Hits, Error>>());
                { find() }
            }
        "#]],
    );
}
