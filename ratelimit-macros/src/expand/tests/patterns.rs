//! Patterns of arguments, which stay where another attribute may read their names.

use super::check;
use expect_test::expect;

const HANDLER: &str = "async fn hello(ConnectInfo(peer): ConnectInfo<SocketAddr>, _: HeaderMap, name: Query<String>) -> Result<Page, ApiError> { page(peer) }";

#[test]
fn a_method_of_an_api_keeps_its_patterns() {
    let method = format!("#[oai(path = \"/hello\", method = \"get\")] {HANDLER}");
    check(
        r#"key = "hello", by = "ip""#,
        &method,
        &expect![[r#"
            #[oai(path = "/hello", method = "get")]
            async fn hello(
                ConnectInfo(peer): ConnectInfo<SocketAddr>,
                __parameter1: HeaderMap,
                name: Query<String>,
            ) -> Result<Page, ApiError> {
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "hello",
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    #[allow(clippy::used_underscore_binding)]
                    ::ratelimit::__private::Call::ip(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::{
                                Argument, ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart,
                                PassAddress as _, FoundAddress, MergeAddress, Nothing,
                                ProbeAddress as _, TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    MergeAddress::merge(
                                        MergeAddress::merge(
                                            MergeAddress::merge(
                                                Nothing,
                                                MergeAddress::merge(
                                                    Nothing,
                                                    KeptAddress::kept(
                                                        (&&&&&Argument(
                                                            &(&&OnlyPart(&peer))
                                                                .__ratelimit_make_again(|__part| ConnectInfo(__part)),
                                                        ))
                                                            .__ratelimit_probe_ip(),
                                                    ),
                                                ),
                                            ),
                                            (&&&&&Argument(&__parameter1)).__ratelimit_probe_ip(),
                                        ),
                                        (&&&&&Argument(&name)).__ratelimit_probe_ip(),
                                    ),
                                ),
                            )
                        },
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
                        return <Result<
                            Page,
                            ApiError,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { page(peer) }
            }
        "#]],
    );
}

#[test]
fn a_block_under_an_api_keeps_the_patterns_of_its_methods() {
    let block = "#[OpenApi] impl Api { async fn hello(&self, Path(id): Path<u64>, request: &Request) -> Result<Page, ApiError> { page(id) } }";
    check(
        r#"key = "hello", by = "ip""#,
        block,
        &expect![[r#"
            #[OpenApi]
            impl Api {
                async fn hello(
                    &self,
                    Path(id): Path<u64>,
                    request: &Request,
                ) -> Result<Page, ApiError> {
                    let __check = {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "hello",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                        #[allow(clippy::used_underscore_binding)]
                        ::ratelimit::__private::Call::ip(
                            &mut __call,
                            {
                                #[allow(unused_imports)]
                                use ::ratelimit::__private::{
                                    Argument, ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart,
                                    PassAddress as _, FoundAddress, MergeAddress, Nothing,
                                    ProbeAddress as _, TrustedAddress,
                                };
                                FoundAddress::found(
                                    TrustedAddress::trusted(
                                        MergeAddress::merge(
                                            MergeAddress::merge(
                                                Nothing,
                                                MergeAddress::merge(
                                                    Nothing,
                                                    KeptAddress::kept(
                                                        (&&&&&Argument(
                                                            &(&&OnlyPart(&id))
                                                                .__ratelimit_make_again(|__part| Path(__part)),
                                                        ))
                                                            .__ratelimit_probe_ip(),
                                                    ),
                                                ),
                                            ),
                                            (&&&&&Argument(&request)).__ratelimit_probe_ip(),
                                        ),
                                    ),
                                )
                            },
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
                            return <Result<
                                Page,
                                ApiError,
                            > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                        }
                    } else {
                        ::core::mem::drop(__check);
                    }
                    #[allow(clippy::cargo_common_metadata)] { page(id) }
                }
            }
        "#]],
    );
}

#[test]
fn a_route_reads_no_names() {
    let handler = format!("#[get(\"/hello\")] {HANDLER}");
    check(
        r#"key = "hello", by = "header:x-api-key""#,
        &handler,
        &expect![[r#"
            #[get("/hello")]
            async fn hello(
                __parameter0: ConnectInfo<SocketAddr>,
                __parameter1: HeaderMap,
                name: Query<String>,
            ) -> Result<Page, ApiError> {
                #[allow(clippy::used_underscore_binding)]
                let __header0 = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{
                        Argument, FoundHeaders, MergeHeaders, Nothing, ProbeHeaders as _,
                    };
                    FoundHeaders::header(
                        MergeHeaders::merge(
                            MergeHeaders::merge(
                                MergeHeaders::merge(
                                    Nothing,
                                    (&&&Argument(&__parameter0)).__ratelimit_probe_headers(),
                                ),
                                (&&&Argument(&__parameter1)).__ratelimit_probe_headers(),
                            ),
                            (&&&Argument(&name)).__ratelimit_probe_headers(),
                        ),
                        "x-api-key",
                    )
                };
                let ConnectInfo(peer) = __parameter0;
                let __check = {
                    let (__header0,) = (__header0,);
                    {
                        static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "hello",
                            ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                        );
                        let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                        ::ratelimit::__private::Call::header(
                            &mut __call,
                            ::core::option::Option::as_ref(&__header0),
                        );
                        ::ratelimit::__private::Call::start(&mut __call)
                    }
                };
                let __check = ::ratelimit::__private::Check::pending(__check);
                if let ::core::option::Option::Some(_) = __check {
                    if let ::core::result::Result::Err(__rejection) = ::ratelimit::__private::Check::of_pending(
                            __check,
                        )
                        .await
                    {
                        return <Result<
                            Page,
                            ApiError,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { page(peer) }
            }
        "#]],
    );
}
