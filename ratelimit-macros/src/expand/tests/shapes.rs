//! Checks the expansions of functions of many shapes: a few words of each, where a snapshot would be too long.

use proc_macro2::TokenStream;

/// The expanded code without spaces, and with a short name for the path of the runtime.
pub(super) fn code(arguments: TokenStream, item: TokenStream) -> String {
    let code = crate::attribute(arguments, item).to_string();
    assert!(!code.contains("compile_error"), "{code}");
    code.replace(char::is_whitespace, "").replace("::ratelimit::__private::", "p::")
}

/// Checks that the expansion of `#[rate_limit(arguments)] item` contains each word. A word with `!!` in front must not occur.
fn has(arguments: &str, item: &str, words: &str) {
    let code = code(arguments.parse().unwrap(), item.parse().unwrap());
    for word in words.split_whitespace() {
        let (word, wanted) = word.strip_prefix("!!").map_or((word, true), |word| (word, false));
        assert_eq!(code.contains(word), wanted, "`{word}` for `{item}`: {code}");
    }
}

#[test]
fn who_calls_is_asked_of_the_types() {
    for (item, words) in [
        ("async fn f(#[cfg(unix)] door: Door<u8>) {}", "!!ArgumentOf !!ReturnOf"),
        ("async fn f() -> (StatusCode, Json<u8>) {}", "ReturnOf::<(StatusCode,Json<u8>)> !!ArgumentOf"),
        (
            "async fn f(door: Door<u8>) -> Page<'static> {}",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) ReturnOf::<Page<'static>>",
        ),
        ("async fn f(door: &Door<u8>) {}", "(&&&p::ArgumentOf::<&Door<u8>> !!ReturnOf"),
        ("async fn f() -> &'static Page {}", "ReturnOf::<&'staticPage> !!ArgumentOf"),
        (
            "async fn f<Body>(a: Of<Body>, door: Door<u8>) {}",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) (&&&p::ArgumentOf::<Of<Body>>",
        ),
        (
            "async fn f(a: Of<Self>, door: Door<u8>) {}",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) (&&&p::ArgumentOf::<Of<Self>>",
        ),
        (
            "async fn f(a: Of<T>, door: Door<u8>) {}",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) (&&&p::ArgumentOf::<Of<T>>",
        ),
        (
            "async fn f(a: Of<'a>, door: Door<u8>) {}",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) (&&&p::ArgumentOf::<Of<'a>>",
        ),
        (
            "impl<Body> S<Body> { async fn f(a: Of<Body>, door: Door<u8>) {} }",
            "(&&&&&&&&&&&&p::ArgumentOf::<Door<u8>>::new()) (&&&p::ArgumentOf::<Of<Body>>",
        ),
    ] {
        has("count = 5", item, words);
    }
}

#[test]
fn the_client_is_looked_for_in_arguments_whose_names_stay() {
    for (item, words) in [
        ("#[rustfmt] async fn f(Peer(a): Peer) {}", "f(Peer(a)"),
        ("#[rustfmt::skip] async fn f(Peer(a): Peer) {}", "f(__parameter0:Peer)"),
        ("#[instrument] async fn f(_: HeaderMap) {}", "f(_:HeaderMap) !!__parameter0"),
        ("#[instrument(skip_all)] async fn f(_: HeaderMap) {}", "f(__parameter0:HeaderMap) !!make_again"),
        ("/// Reads a.\n async fn f(Peer(a): Peer) {}", "f(__parameter0:Peer) !!make_again"),
        (
            "async fn f(#[cfg(unix)] Peer(a): Peer) {}",
            "#[cfg(unix)]let__found=MergeAddress::merge #[cfg(unix)]letPeer(a)=__parameter0;",
        ),
        ("#[instrument] async fn f(Peer(a): Peer) {}", "__ratelimit_make_again(|__part|Peer(__part)) f(Peer(a)"),
        ("#[instrument] async fn f(Peer(ref a): Peer) {}", "!!make_again ArgumentOf::<Peer>"),
        ("#[instrument] async fn f(Peer(a @ A(_)): Peer) {}", "!!make_again ArgumentOf::<Peer>"),
        ("#[instrument] async fn f(Pair(a, b): Pair) {}", "ArgumentOf::<Pair> pass_ip"),
        ("#[instrument] async fn f(Pair(a, b): impl Two) {}", "!!ArgumentOf:: !!pass_ip"),
        (
            "fn f<'async_trait>(a: Peer) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = ()> + 'async_trait>> {
                Box::pin(async move { let a = a; let _: () = { g(a).await; }; })
            }",
            "Argument(&a)).__ratelimit_probe_ip() !!Nothing)))",
        ),
    ] {
        has("by = \"ip\"", item, words);
    }
    let words = "__header0 __header1 __header2";
    has("by = (\"header:a\", \"header:b\", \"header:c\")", "async fn f(all: HeaderMap) {}", words);
}

#[test]
fn the_response_is_looked_for_in_arguments_that_can_change() {
    let until = "count = 5, algorithm = \"concurrency\", until = \"body_end\"";
    for (item, words) in [
        ("async fn f(mut a: &mut A, mut b: u8) {}", "f(a:&mutA,mutb:u8) Target(&mut*a)"),
        ("async fn f(a: &A, b: &mut B) {}", "!!Target(&mut*a) Target(&mut*b)"),
        ("async fn f(Part(a): &mut Part, b: &mut B) {}", "!!Target(&mut*a) Target(&mut*b)"),
        ("async fn f(mut a: &mut A) -> B {}", "f(muta:&mutA) !!Target"),
        (
            "async fn f() -> (StatusCode, Sse<A>) {}",
            "->(StatusCode,::ratelimit::body::Holding<Sse<A>>) !!Target",
        ),
        ("async fn f() -> EventStream![] {}", "->::ratelimit::body::Holding<EventStream![]> !!Target"),
        ("async fn f() -> html![] {}", "->html![] !!Target"),
        ("async fn f() -> Result<Response<a::B>, Status> {}", "!!HoldStream !!Target"),
        ("async fn f() -> Result<Response<Self::B>, Status> {}", "HoldStream !!Target"),
    ] {
        has(until, item, words);
    }
    has("count = 5", "async fn f(mut a: &mut A) {}", "f(muta:&mutA)");
}

#[test]
fn arguments_of_the_attribute_have_code() {
    let plain = "async fn f() -> Result<(), E> {}";
    for (arguments, item, words) in [
        (
            "time = 1, count = 5, pause_if = |r| later(r)",
            plain,
            "Admission::pause_if(&mut__admission,0, later",
        ),
        ("count = N", plain, "const{enum__Here{} !!static__SITE"),
        ("count = Self::N", plain, "const{enum__Here{} !!static__SITE"),
        ("count = A::<B>::MAX", plain, "const{enum__Here{} !!static__SITE"),
        ("by = ()", plain, "identity(&mut__call)"),
        ("count = MAX", plain, "static__SITE !!Call::limit"),
        ("count = Max", plain, "Call::limit(&mut__call,"),
        ("time = Duration::from_secs(5)", plain, "static__SITE !!Call::limit"),
        ("time = a::from_secs(5)", plain, "Call::limit(&mut__call,"),
        ("on_limit = |_| g()", "async fn f() -> impl A {}", "f()->implA{"),
        ("count = 5", "async fn f() -> impl A {}", "f()->::core::result::Result<implA,"),
        ("on_error = \"allow\"", plain, "OnError::Allow"),
        ("on_error = \"deny\"", plain, "OnError::Deny"),
        ("shadow = true", plain, "let_=__check.await; !!return"),
        ("shadow = a, key = \"k\"", plain, "Call::shadow_if(&mut__call,a,\"k/shadow\") return"),
        (
            "shadow = a",
            plain,
            "Call::shadow_if(&mut__call,a,::core::concat!(::core::module_path!(),\"::\",\"f/shadow\")) return",
        ),
        ("time = \"1500ms\"", plain, "Duration::from_millis(1500) !!from_secs"),
        ("time = LEASE, algorithm = \"concurrency\"", plain, "Limit::concurrency(1,LEASE).time() return"),
        ("time = self.lease, algorithm = \"concurrency\"", plain, "concurrency(100,self.lease) !!.time()"),
        ("count = 5", "#[cached] async fn f() {}", "Cache::limit_behind_a_cache()"),
        ("settle = |r| cost(r)", "async fn f() -> Sse<A> {}", "limit_without_stream cost"),
        (
            "algorithm = \"concurrency\"",
            "async fn f() -> (A, Sse<impl B>) {}",
            "ReturnOf::<(A,Sse<()>)>::new()).limit_without_stream return",
        ),
        ("count = 5", "async fn f() -> Result<A, (StatusCode, B)> {}", "TupleOrRejection !!FromRejection"),
        ("count = 5", "async fn f() -> Result<A, (B, StatusCode)> {}", "TupleOrRejection !!FromRejection"),
        ("count = 5", "async fn f() -> Result<A, impl B> {}", "TupleOrRejection !!FromRejection"),
        (
            "count = 5",
            "async fn f<E>() -> Result<A, E> {}",
            "<Eas::core::convert::From<::ratelimit::Rejection>>",
        ),
        ("count = 5", "async fn f(&self) -> A {}", "MethodOrRejection"),
        ("count = 5", "pub async fn f(&self) -> A {}", "!!MethodOrRejection FromRejection"),
        ("count = 5, cost = a", "async fn f(a: u32) -> A {}", "computed_cost"),
        ("count = 5, cost = 2", "async fn f() -> A {}", "!!computed_cost"),
        (
            "on_limit = |_| (Ok(1))",
            "async fn f() -> (StatusCode, Json<Page>) {}",
            "refusal_looks_like_a_success on_limit",
        ),
    ] {
        has(arguments, item, words);
    }
    let stack = "#[rate_limit(time = 60, count = 50)] fn f() -> impl Future<Output = Result<(), E>> { async move { g().await } }";
    has("time = 1, count = 5", stack, "let__check=p::Later::start(__call)");
}

#[test]
fn a_future_is_limited_where_it_is_polled() {
    let of_async = "asyncmove{let__check= !!once(move||";
    let called = "once(move||";
    for (body, words) in [
        ("async move { g().await }", of_async),
        ("async move { g().await }.boxed()", of_async),
        ("async move { g().await }.boxed_local()", of_async),
        ("let a = b; Box::pin(async move { g().await })", of_async),
        ("Box::pin(Box::pin(async move { g().await }))", of_async),
        ("async move { g().await }.pinned()", called),
        ("async move { g().await }.boxed(a)", called),
        ("Box::new(async move { g().await })", called),
        ("match a { _ => g() }", called),
        ("gen move { g() }", called),
        ("if a { return g(); } async move { g().await }", called),
    ] {
        has("count = 5", &format!("fn f() -> impl Future<Output = Result<(), E>> {{ {body} }}"), words);
        has("count = 5", &format!("unsafe fn f() -> BoxFuture<'static, ()> {{ {body} }}"), words);
    }
}

#[test]
fn only_the_methods_of_a_block_are_limited() {
    for other in [
        "m! { a }",
        "m!(a);",
        "const A: u8 = { 1 };",
        "type A = B;",
        "fn g() {}",
        "pub(crate) const fn g() {}",
    ] {
        let block = format!("impl S {{ {other} async fn f() {{}} }}");
        has("count = 5", &block, "asyncfnf(){let__check=");
        assert!(code("count = 5".parse().unwrap(), block.parse().unwrap()).contains(&other.replace(' ', "")));
    }
    has(
        "count = 5, fallible",
        "impl<F: for<'a> A<'a>> S<F> { async fn f() {} }",
        "Result<(),::ratelimit::Rejection>",
    );
}

#[test]
fn placeholders_are_found_in_patterns() {
    for pattern in [
        "a",
        "(a): A",
        "&a: &A",
        "[b, a]: A",
        "(b, a): A",
        "A { a, .. }: A",
        "A { b: a }: A",
        "(A(a) | B(a)): A",
        "b @ A(a): A",
    ] {
        let argument = if pattern == "a" { "a: A" } else { pattern };
        has("key = \"k:{a}\"", &format!("async fn f({argument}) {{}}"), "KeyPart(&a)");
    }
}
