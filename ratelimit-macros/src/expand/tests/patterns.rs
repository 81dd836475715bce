//! Tests of patterns in arguments. A pattern stays if another attribute may read its names.

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
                    site::new("hello", r::Limit::counter(100, core::secs(60)));
                    let mut __call = p::Call::new(&__SITE);
                    p::Call::alone(&mut __call, &__SITE);
                    #[allow(clippy::used_underscore_binding)]
                    p::Call::ip(
                        &mut __call,
                        {
                            use probe::{
                                Argument, ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart,
                                PassAddress as _, FoundAddress, MergeAddress, Nothing,
                                ProbeAddress as _, TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    merge(
                                        merge(
                                            merge(
                                                Nothing,
                                                merge(
                                                    Nothing,
                                                    KeptAddress::kept(
                                                        probe_ip(
                                                            &(&&OnlyPart(&peer))
                                                                .__ratelimit_make_again(|__part| ConnectInfo(__part)),
                                                        ),
                                                    ),
                                                ),
                                            ),
                                            probe_ip(&__parameter1),
                                        ),
                                        probe_ip(&name),
                                    ),
                                ),
                            )
                        },
                    );
                    p::Call::start(&mut __call)
                };
                decide_or(rejection_as::<Result<Page, ApiError>>());
                { page(peer) }
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
                        site::new("hello", r::Limit::counter(100, core::secs(60)));
                        let mut __call = p::Call::new(&__SITE);
                        p::Call::alone(&mut __call, &__SITE);
                        #[allow(clippy::used_underscore_binding)]
                        p::Call::ip(
                            &mut __call,
                            {
                                use probe::{
                                    Argument, ArgumentOf, KeptAddress, MakeAgain as _, OnlyPart,
                                    PassAddress as _, FoundAddress, MergeAddress, Nothing,
                                    ProbeAddress as _, TrustedAddress,
                                };
                                FoundAddress::found(
                                    TrustedAddress::trusted(
                                        merge(
                                            merge(
                                                Nothing,
                                                merge(
                                                    Nothing,
                                                    KeptAddress::kept(
                                                        probe_ip(
                                                            &(&&OnlyPart(&id))
                                                                .__ratelimit_make_again(|__part| Path(__part)),
                                                        ),
                                                    ),
                                                ),
                                            ),
                                            probe_ip(&request),
                                        ),
                                    ),
                                )
                            },
                        );
                        p::Call::start(&mut __call)
                    };
                    decide_or(rejection_as::<Result<Page, ApiError>>());
                    { page(id) }
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
                    use probe::{Argument, FoundHeaders, MergeHeaders, Nothing, ProbeHeaders as _};
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
                        site::new("hello", r::Limit::counter(100, core::secs(60)));
                        let mut __call = p::Call::new(&__SITE);
                        p::Call::alone(&mut __call, &__SITE);
                        p::Call::header(&mut __call, core::as_ref(&__header0));
                        p::Call::start(&mut __call)
                    }
                };
                decide_or(rejection_as::<Result<Page, ApiError>>());
                { page(peer) }
            }
        "#]],
    );
}
