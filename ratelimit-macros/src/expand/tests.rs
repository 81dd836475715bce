//! Snapshots of expanded code. `UPDATE_EXPECT=1 cargo test -p ratelimit-macros` updates them.

mod admission;
mod blocks;
mod futures;
mod names;
mod patterns;
mod stacks;
mod until;

use expect_test::{Expect, expect};

fn check(arguments: &str, item: &str, expected: &Expect) {
    let expanded = crate::attribute(arguments.parse().unwrap(), item.parse().unwrap());
    expected.assert_eq(&prettyplease::unparse(&syn::parse2(expanded).unwrap()));
}

#[test]
fn a_plain_function() {
    check(
        r#"key = "login", time = 60, count = 5"#,
        "/// Logs in.
        pub async fn login(user: User) -> Result<Session, ApiError> { open(user).await }",
        &expect![[r#"
            /// Logs in.
            pub async fn login(user: User) -> Result<Session, ApiError> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{NoRequest as _, OfRequest as _, OfUser as _};
                    (&&&::ratelimit::__private::ArgumentOf::<User>::new()).limit_without_identity();
                }
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "login",
                        ::ratelimit::Limit::counter(5, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return <Result<
                        Session,
                        ApiError,
                    > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                }
                #[allow(clippy::cargo_common_metadata)] { open(user).await }
            }
        "#]],
    );
}

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
                    __call.start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return ::core::result::Result::Err(__rejection);
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
fn a_handler_limited_by_address() {
    check(
        r#"time = "1m", by = "ip""#,
        "async fn list(ConnectInfo(peer): ConnectInfo<SocketAddr>, query: Query) -> Result<Page, ApiError> { page(query) }",
        &expect![[r#"
            async fn list(
                __parameter0: ConnectInfo<SocketAddr>,
                query: Query,
            ) -> Result<Page, ApiError> {
                #[allow(clippy::used_underscore_binding)]
                let __ip = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::{
                        Argument, KeptAddress, MergeAddress, Nothing, ProbeAddress as _,
                    };
                    KeptAddress::kept(
                        MergeAddress::merge(
                            Nothing,
                            (&&&&&Argument(&__parameter0)).__ratelimit_probe_ip(),
                        ),
                    )
                };
                let ConnectInfo(peer) = __parameter0;
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        ::core::concat!(::core::module_path!(), "::", "list"),
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                    #[allow(clippy::used_underscore_binding)]
                    ::ratelimit::__private::Call::ip(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    MergeAddress::merge(
                                        MergeAddress::merge(Nothing, __ip),
                                        (&&&&&Argument(&query)).__ratelimit_probe_ip(),
                                    ),
                                ),
                            )
                        },
                    );
                    __call.start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return <Result<
                        Page,
                        ApiError,
                    > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                }
                #[allow(clippy::cargo_common_metadata)] { page(query) }
            }
        "#]],
    );
}

#[test]
fn values_that_are_known_at_the_call() {
    check(
        r#"key = "report:{kind}:{tenant.id}", time = self.window, count = plan.rate(), algorithm = "token_bucket",
           burst = BURST, refill = "interval", by = ("ip", &user.id, shard % 16), cost = rows / 1000 + 1, limiter = self.limits"#,
        "async fn report(&self, peer: SocketAddr, user: &User, tenant: &Tenant, kind: &str) -> Result<Report, Error> { run() }",
        &expect![[r#"
            async fn report(
                &self,
                peer: SocketAddr,
                user: &User,
                tenant: &Tenant,
                kind: &str,
            ) -> Result<Report, Error> {
                let __check = {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeKeyPart as _;
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::per_call(
                        "report:{kind}:{tenant.id}",
                    );
                    let mut __call = ::ratelimit::__private::Call::by_limiter(&__SITE, &self.limits);
                    ::ratelimit::__private::Call::limit(
                        &mut __call,
                        ::ratelimit::__private::limit::with_burst(
                            ::ratelimit::__private::limit::with_refill(
                                ::ratelimit::__private::limit::token_bucket(
                                    plan.rate(),
                                    self.window,
                                ),
                                ::ratelimit::Refill::Interval,
                            ),
                            BURST,
                        ),
                    );
                    #[allow(clippy::used_underscore_binding)]
                    ::ratelimit::__private::Call::ip(
                        &mut __call,
                        {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::{
                                Argument, FoundAddress, MergeAddress, Nothing, ProbeAddress as _,
                                TrustedAddress,
                            };
                            FoundAddress::found(
                                TrustedAddress::trusted(
                                    MergeAddress::merge(
                                        MergeAddress::merge(
                                            MergeAddress::merge(
                                                MergeAddress::merge(
                                                    Nothing,
                                                    (&&&&&Argument(&peer)).__ratelimit_probe_ip(),
                                                ),
                                                (&&&&&Argument(&user)).__ratelimit_probe_ip(),
                                            ),
                                            (&&&&&Argument(&tenant)).__ratelimit_probe_ip(),
                                        ),
                                        (&&&&&Argument(&kind)).__ratelimit_probe_ip(),
                                    ),
                                ),
                            )
                        },
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&&user.id)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::identity(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&(shard % 16))).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::identity(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&kind)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::part(&mut __call),
                    );
                    ::ratelimit::__private::Way::write(
                        (&&&&::ratelimit::__private::KeyPart(&tenant.id)).__ratelimit_key_part(),
                        &mut ::ratelimit::__private::Call::part(&mut __call),
                    );
                    ::ratelimit::__private::Call::cost(&mut __call, rows / 1000 + 1);
                    __call.start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return <Result<
                        Report,
                        Error,
                    > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                }
                #[allow(clippy::cargo_common_metadata)] { run() }
            }
        "#]],
    );
}

#[test]
fn constants_of_a_generic_type() {
    check(
        r#"key = "jobs", time = T::WINDOW, count = Self::RATE, on_limit = |_| None, crate = my::limits"#,
        "async fn take<T: Plan>(&self) -> Option<Job> { self.next() }",
        &expect![[r#"
            async fn take<T: Plan>(&self) -> Option<Job> {
                let __check = {
                    my::limits::__private::Call::new(const {
                            &my::limits::__private::Site::new(
                                "jobs",
                                my::limits::Limit::counter(
                                    my::limits::__private::limit::count(Self::RATE),
                                    my::limits::__private::limit::time(T::WINDOW),
                                ),
                            )
                        })
                        .start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return my::limits::__private::on_limit(|_| None, __rejection);
                }
                #[allow(clippy::cargo_common_metadata)] { self.next() }
            }
        "#]],
    );
}

#[test]
fn a_method_that_async_trait_has_expanded() {
    check(
        r#"key = "mail:{self.tenant}", by = to"#,
        "fn send<'a, 'async_trait>(&'a self, to: String)
            -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<(), Error>> + ::core::marker::Send + 'async_trait>> {
            Box::pin(async move {
                if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<(), Error>> {
                    #[allow(unreachable_code)]
                    return __ret;
                }
                let __self = self;
                let to = to;
                let __ret: Result<(), Error> = { __self.smtp.send(to).await };
                #[allow(unreachable_code)]
                __ret
            })
        }",
        &expect![[r#"
            fn send<'a, 'async_trait>(
                &'a self,
                to: String,
            ) -> ::core::pin::Pin<
                Box<
                    dyn ::core::future::Future<
                        Output = Result<(), Error>,
                    > + ::core::marker::Send + 'async_trait,
                >,
            > {
                Box::pin(async move {
                    if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<
                        Result<(), Error>,
                    > {
                        #[allow(unreachable_code)] return __ret;
                    }
                    let __self = self;
                    let to = to;
                    let __ret: Result<(), Error> = {
                        let __check = {
                            #[allow(unused_imports)]
                            use ::ratelimit::__private::ProbeKeyPart as _;
                            static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                                "mail:{self.tenant}",
                                ::ratelimit::Limit::counter(
                                    100,
                                    ::core::time::Duration::from_secs(60),
                                ),
                            );
                            let mut __call = ::ratelimit::__private::Call::new(&__SITE);
                            ::ratelimit::__private::Way::write(
                                (&&&&::ratelimit::__private::KeyPart(&to)).__ratelimit_key_part(),
                                &mut ::ratelimit::__private::Call::identity(&mut __call),
                            );
                            ::ratelimit::__private::Way::write(
                                (&&&&::ratelimit::__private::KeyPart(&__self.tenant))
                                    .__ratelimit_key_part(),
                                &mut ::ratelimit::__private::Call::part(&mut __call),
                            );
                            __call.start()
                        };
                        if let ::core::result::Result::Err(__rejection) = __check.await {
                            return <Result<
                                (),
                                Error,
                            > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                        }
                        #[allow(clippy::cargo_common_metadata)] { __self.smtp.send(to).await }
                    };
                    #[allow(unreachable_code)] __ret
                })
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
                let __check = {
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                        "page",
                        ::ratelimit::Limit::counter(100, ::core::time::Duration::from_secs(60)),
                    );
                    ::ratelimit::__private::Call::new(&__SITE).start()
                };
                if let ::core::result::Result::Err(__rejection) = __check.await {
                    return ::core::result::Result::Err(__rejection);
                }
                ::core::result::Result::Ok(async move { Html("hello") }.await)
            }
        "#]],
    );
}

#[test]
fn a_wrong_attribute_leaves_the_function_as_it_was() {
    check(
        "count = 0, tiem = 60",
        "#[inline] pub async fn login(user: User) -> Result<Session, ApiError> { open(user).await }",
        &expect![[r#"
            ::core::compile_error! {
                "unknown argument `tiem`; did you mean `time`?"
            }
            ::core::compile_error! {
                "`count` must be at least 1: a limit of zero would refuse every call"
            }
            #[allow(unexpected_cfgs)]
            const _: () = {
                #[cfg(rust_analyzer)]
                mod arguments {
                    ///`key = "login"`: a string with placeholders. Default: the path of the function.
                    pub mod key {}
                    ///`time = 60`: seconds, `"1h30m"`, or a `Duration`. Default: `60`.
                    pub mod time {}
                    ///`count = 100`: a number. Default: `100`.
                    pub mod count {}
                    ///`by = "ip"`: `"ip"`, `"user"`, `"header:.."`, `"global"`, a value, or a tuple. Default: `"global"`.
                    pub mod by {}
                    ///`algorithm = "token_bucket"`: the name of an algorithm. Default: `"counter"`.
                    pub mod algorithm {}
                    ///`burst = 5`: a number. Default: `count`.
                    pub mod burst {}
                    ///`refill = "interval"`: `"greedy"`, `"interval"`. Default: `"greedy"`.
                    pub mod refill {}
                    ///`borrow = 5`: a number. Default: `0`.
                    pub mod borrow {}
                    ///`cost = 2`: a number. Default: `1`.
                    pub mod cost {}
                    ///`wait = "2s"`: a duration, as `time`. Default: calls are refused at once.
                    pub mod wait {}
                    ///`skip_if = user.is_admin`: an expression of type `bool`. Default: no call is exempt.
                    pub mod skip_if {}
                    ///`charge_if = Result::is_err`: a function from the result to `bool`; parallel calls can exceed the limit. Default: every call is charged before its body.
                    pub mod charge_if {}
                    ///`refund_if = Result::is_err`: a function from the result to `bool`. Default: the units stay charged.
                    pub mod refund_if {}
                    ///`settle = |result| ..`: a function from the result to `u32`. Default: `cost`.
                    pub mod settle {}
                    ///`until = "body_end"`: `"return"`, `"body_end"`. Default: `"return"`.
                    pub mod until {}
                    ///`lease = 50`: a number, or `"auto"`. Default: the store is asked each time.
                    pub mod lease {}
                    ///`shadow = true`: an expression of type `bool`. Default: `false`.
                    pub mod shadow {}
                    ///`limit = self.plan.limit`: a [`Limit`](crate::Limit). Default: the limit is made from the other arguments.
                    pub mod limit {}
                    ///`on_limit = |rejection| ..`: a function from a `Rejection`. Default: the error of the return type, by `From<Rejection>`.
                    pub mod on_limit {}
                    ///`fallible`: no value. Default: the function returns what it says.
                    pub mod fallible {}
                    ///`on_error = "deny"`: `"local"`, `"allow"`, `"deny"`. Default: the limiter's policy, else `"local"`.
                    pub mod on_error {}
                    ///`limiter = self.limits`: a `RateLimiter`. Default: the scoped one, else the installed one.
                    pub mod limiter {}
                    use self::tiem as _;
                }
            };
            #[inline]
            pub async fn login(user: User) -> Result<Session, ApiError> {
                open(user).await
            }
        "#]],
    );
}
