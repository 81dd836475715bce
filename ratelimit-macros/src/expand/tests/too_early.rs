//! Snapshots of the warning about permits that end before the body of the response.

use super::check;
use expect_test::expect;

#[test]
fn a_permit_that_may_end_too_early() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency""#,
        "async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> { open().await }",
        &expect![[r#"
            async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> {
                p::Upgrade::limit_without_socket();
                {
                    use probe::{NoStream as _, OfStream as _};
                    (&&&&p::ReturnOf::<Result<Sse<()>, Error>>::new()).limit_without_stream();
                }
                let __check = {
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(rejection_as::<Result<Sse<_>, Error>>());
                { open().await }
            }
        "#]],
    );
}

#[test]
fn a_permit_that_is_said_to_end_early() {
    check(
        r#"key = "events", count = 9, algorithm = "concurrency", until = "return""#,
        "async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> { open().await }",
        &expect![[r#"
            async fn events(up: WebSocketUpgrade) -> Result<Sse<impl Stream<Item = Event>>, Error> {
                let __check = {
                    site::new("events", r::Limit::concurrency(9, core::secs(60)));
                    p::Call::admit(p::Call::new(&__SITE))
                };
                let __admission = admit_or(rejection_as::<Result<Sse<_>, Error>>());
                { open().await }
            }
        "#]],
    );
}
