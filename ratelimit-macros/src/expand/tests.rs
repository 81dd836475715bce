//! Snapshots of expanded code. `UPDATE_EXPECT=1 cargo test -p ratelimit-macros` updates them.
//!
//! The first snapshot shows all code that the attribute writes. In the others, [`check`] gives short names to the parts
//! that are the same in every expansion:
//!
//! | name | code |
//! |---|---|
//! | `p::` and `r::` | the paths `::ratelimit::__private::` and `::ratelimit::` |
//! | `core::Ok`, `core::secs` and so on | the absolute path of that name of the standard library |
//! | `use probe::X` | `use` of a trait, or of several names, that may be unused, with the lint allowed |
//! | `site::new(..)` | the static `__SITE`, with its type |
//! | `merge(..)`, `probe_ip(..)` | the better of two results of probes, and the probe of an argument for an address |
//! | `write(value, part)` | writes a value into a part of the key, as an identity or by `Display` |
//! | `warn_argument`, `warn_return` | a probe with a method whose ignored result causes a warning |
//! | `decide_or(..)` | waits for a pending decision; if the call is refused, returns the value from the function |
//! | `admit_or(..)` | waits for the admission; if the call is refused, returns the value from the function |
//! | `rejection_as::<T>()` | the rejection as a value of the return type `T` |
//! | `of_type::<T>()` | tells the compiler the type of an inner block |

mod blocks;
mod charges;
mod futures;
mod groups;
mod names;
mod patterns;
mod permits;
mod results;
mod shapes;
mod stacks;
mod too_early;
mod until;
mod values;

use expect_test::{Expect, expect};

/// Paths, and their short names.
const PATHS: [(&str, &str); 12] = [
    (":: ratelimit :: __private ::", "p ::"),
    (":: ratelimit ::", "r ::"),
    ("# [allow (unused_imports)] use p ::", "use probe ::"),
    ("static __KNOWN : p :: Known = p :: Known :: new () ;", ""),
    (". knows (& __KNOWN)", ""),
    ("static __SITE : p :: Site = p :: Site ::", "site ::"),
    (":: core :: result :: Result ::", "core ::"),
    (":: core :: option :: Option ::", "core ::"),
    (":: core :: time :: Duration :: from_secs", "core :: secs"),
    (":: core :: mem :: drop", "core :: drop"),
    ("# [allow (clippy :: cargo_common_metadata)]", ""),
    ("MergeAddress :: merge", "merge"),
];

/// The code before and after a part that differs, and the texts that replace the code before and after it.
const FRAMES: [[&str; 4]; 8] = [
    ["p :: Way :: write ((&& && p :: KeyPart (", ")) . __ratelimit_key_part () ,", "write (", ","],
    ["(&& && & Argument (", ")) . __ratelimit_probe_ip ()", "probe_ip (", ")"],
    [
        "(&& && && && && && p :: ArgumentOf :: <",
        "> :: new ()) . __ratelimit_callers () .",
        "warn_argument :: <",
        "> () .",
    ],
    [
        "(&& && && && && && p :: ReturnOf :: <",
        "> :: new ()) . __ratelimit_callers () .",
        "warn_return :: <",
        "> () .",
    ],
    [
        "return <",
        "as r :: FromRejection > :: from_rejection (__rejection)",
        "return rejection_as :: <",
        "> ()",
    ],
    [
        "let __check = p :: Check :: pending (__check) ; if let core :: Some (_) = __check { \
         if let core :: Err (__rejection) = p :: Check :: of_pending (__check) . await { return",
        "; } } else { core :: drop (__check) ; }",
        "decide_or (",
        ") ;",
    ],
    [
        "match __check . await { core :: Ok (__admission) => __admission , \
         core :: Err (__rejection) => return",
        ", } ;",
        "admit_or (",
        ") ;",
    ],
    [
        "if let core :: Some (__result) = core :: None :: <",
        "> { return __result ; }",
        "of_type :: <",
        "> () ;",
    ],
];

/// Compares an expansion with a snapshot in which the parts that are always the same have short names.
fn check(arguments: &str, item: &str, expected: &Expect) {
    let mut code = expand(arguments, item);
    for (path, name) in PATHS {
        code = code.replace(path, name);
    }
    for [before, after, name, end] in FRAMES {
        let mut parts = code.split(before);
        let mut shown = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once(after) {
                Some((differs, rest)) => shown.extend([name, differs, end, rest]),
                None => shown.extend([before, part]),
            }
        }
        code = shown;
    }
    check_whole(&code, expected);
}

fn expand(arguments: &str, item: &str) -> String {
    crate::attribute(arguments.parse().unwrap(), item.parse().unwrap()).to_string()
}

fn check_whole(code: &str, expected: &Expect) {
    expected.assert_eq(&prettyplease::unparse(&syn::parse_str(code).unwrap()));
}

#[test]
fn a_plain_function() {
    let code = expand(
        r#"key = "login", time = 60, count = 5"#,
        "/// Logs in.
        pub async fn login(user: User) -> Result<Session, ApiError> { open(user).await }",
    );
    check_whole(
        &code,
        &expect![[r#"
            /// Logs in.
            pub async fn login(user: User) -> Result<Session, ApiError> {
                {
                    #[allow(unused_imports)]
                    use ::ratelimit::__private::ProbeCallers as _;
                    (&&&&&&&&&&&&::ratelimit::__private::ArgumentOf::<User>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                    (&&&&&&&&&&&&::ratelimit::__private::ReturnOf::<Session>::new())
                        .__ratelimit_callers()
                        .limit_without_identity();
                }
                let __check = {
                    static __KNOWN: ::ratelimit::__private::Known = ::ratelimit::__private::Known::new();
                    static __SITE: ::ratelimit::__private::Site = ::ratelimit::__private::Site::new(
                            "login",
                            ::ratelimit::Limit::counter(5, ::core::time::Duration::from_secs(60)),
                        )
                        .knows(&__KNOWN);
                    ::ratelimit::__private::Check::of_site(&__SITE)
                };
                let __check = ::ratelimit::__private::Check::pending(__check);
                if let ::core::option::Option::Some(_) = __check {
                    if let ::core::result::Result::Err(__rejection) = ::ratelimit::__private::Check::of_pending(
                            __check,
                        )
                        .await
                    {
                        return <Result<
                            Session,
                            ApiError,
                        > as ::ratelimit::FromRejection>::from_rejection(__rejection);
                    }
                } else {
                    ::core::mem::drop(__check);
                }
                #[allow(clippy::cargo_common_metadata)] { open(user).await }
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
                    ///`time = 60`: seconds, `"1h30m"`, a `Duration`, or `"month"`. Default: `60`.
                    pub mod time {}
                    ///`zone = "+01:00"`: an offset from UTC. Default: `"+00:00"`.
                    pub mod zone {}
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
                    ///`cost = 2`: a number, or `learn(..)`. Default: `1`.
                    pub mod cost {}
                    ///`keep = 20`: a number. Default: `0`.
                    pub mod keep {}
                    ///`fair = tenant.id`: a value, or a tuple. Default: the first get all.
                    pub mod fair {}
                    ///`wait = "2s"`: a duration, as `time`. Default: calls are refused at once.
                    pub mod wait {}
                    ///`skip_if = user.is_admin`: an expression of type `bool`. Default: no call is exempt.
                    pub mod skip_if {}
                    ///`refund_if = Result::is_err`: a function from the result to `bool`. Default: the units stay charged.
                    pub mod refund_if {}
                    ///`settle = |result| ..`: a function from the result to an unsigned integer. Default: `cost`.
                    pub mod settle {}
                    ///`pause_if = |answer| ..`: a function from the result to `Option<Duration>`. Default: the result pauses nothing.
                    pub mod pause_if {}
                    ///`until = "body_end"`: `"return"`, `"body_end"`. Default: `"return"`.
                    pub mod until {}
                    ///`lease = 50`: a number, or `"auto"`. Default: the store is asked each time.
                    pub mod lease {}
                    ///`block = "15m"`: a duration, as `time`, or several that grow. Default: a refused caller may ask again at once.
                    pub mod block {}
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
