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
                ::ratelimit::__private::Upgrade::limit_without_socket();
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{NoStream as _, OfStream as _};
                    (&&::ratelimit::__private::ReturnOf::<Result<Sse<()>, Error>>::new())
                        .limit_without_stream();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Sse<_>,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { open().await }
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
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "events",
                        ::ratelimit::Limit::concurrency(9, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::admit(::ratelimit::__private::Call::new(&__SITE))
                };
                let __admission = match __check.await {
                    ::core::result::Result::Ok(__admission) => __admission,
                    ::core::result::Result::Err(__rejection) => {
                        return <Result<
                            Sse<_>,
                            Error,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                };
                #[allow(clippy::cargo_common_metadata)] { open().await }
            }
        "#]],
    );
}
