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
                    use probe::ProbeCallers as _;
                    warn_argument::<Mail>().limit_without_identity();
                }
                let __check = {
                    site::new(
                        "mail",
                        r::Limit::wait(r::Limit::leaky_bucket(10, core::secs(1)), core::secs(2)),
                    );
                    p::Check::of_site(&__SITE)
                };
                decide_or(rejection_as::<Result<(), Error>>());
                { post(mail).await }
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
                    site::per_call("render");
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::limit(
                        &mut __call,
                        p::limit::with_wait(r::Limit::try_concurrency(4, core::secs(60)), patience),
                    );
                    p::Call::admit(__call)
                };
                let __admission = admit_or(rejection_as::<Result<Image, Error>>());
                { draw(page).await }
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
                    site::per_call(::core::concat!(::core::module_path!(), "::", "render"))
                        .in_type();
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::limit_or_none(&mut __call, p::limit::value(self.plan.limit));
                    p::Call::of_type(&mut __call, ::core::any::type_name::<Self>());
                    p::Call::admit(__call)
                };
                let __admission = admit_or(rejection_as::<Result<Image, Error>>());
                { self.draw().await }
            }
        "#]],
    );
}
