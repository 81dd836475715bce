//! What the code has for functions of many shapes: a few words of each expansion, where a snapshot would say too much.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The code without spaces.
fn code(arguments: TokenStream, item: TokenStream) -> String {
    let code = crate::attribute(arguments, item).to_string();
    assert!(!code.contains("compile_error"), "{code}");
    code.replace(char::is_whitespace, "").replace("::ratelimit::__private::", "p::")
}

/// Looks for the words in the code of `#[rate_limit(arguments)] item`. A word with `!!` in front must not be there.
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
        ("count = 5", "async fn f() -> Result<A, (B, StatusCode)> {}", "!!TupleOrRejection FromRejection"),
        (
            "on_limit = |_| (Ok(1))",
            "async fn f() -> (StatusCode, Json<Page>) {}",
            "refusal_looks_like_a_success on_limit",
        ),
    ] {
        has(arguments, item, words);
    }
    let stack = "#[rate_limit(time = 60, count = 50)] fn f() -> impl Future<Output = Result<(), E>> { async move { g().await } }";
    has("time = 1, count = 5", stack, "let__check=p::Calls::start(__call)");
}

/// The types and values of `macro_rules` have invisible groups around them. People write parentheses.
#[test]
fn groups_change_nothing() {
    let until = "algorithm = \"concurrency\", until = \"body_end\"";
    for (arguments, item) in [
        ("count = 5", "async fn f(a: w![Option<Query<A>>]) -> w![Result<w![Json<A>], E>] {}"),
        ("count = 5", "async fn f() -> Result<w![impl A], E> {}"),
        ("count = 5", "async fn f() -> Result<A, (w![StatusCode], B)> {}"),
        ("on_limit = |_| w![Ok(1)]", "async fn f() -> (StatusCode, Json<Page>) {}"),
        (until, "async fn f(a: w![&mut A]) {}"),
        (until, "async fn f() -> Result<w![Sse<A>], E> {}"),
        ("algorithm = \"concurrency\"", "async fn f() -> (StatusCode, w![Sse<impl A>]) {}"),
    ] {
        let code =
            |wrap| code(wrapped(arguments.parse().unwrap(), wrap), wrapped(item.parse().unwrap(), wrap));
        assert_eq!(code(Some(Delimiter::None)), code(None), "{item}");
        let bare = |wrap| code(wrap).replace(['(', ')'], "");
        assert_eq!(bare(Some(Delimiter::Parenthesis)), bare(None), "{item}");
    }
}

/// Puts what is in `w![..]` into such groups.
fn wrapped(code: TokenStream, wrap: Option<Delimiter>) -> TokenStream {
    let mut tokens = code.into_iter();
    let mut written = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "w" => {
                let Some(TokenTree::Group(content)) = tokens.nth(1) else { panic!("expected `w![..]`") };
                let content = wrapped(content.stream(), wrap);
                match wrap {
                    Some(delimiter) => written.extend([TokenTree::Group(Group::new(delimiter, content))]),
                    None => written.extend(content),
                }
            }
            TokenTree::Group(group) => {
                let inner = wrapped(group.stream(), wrap);
                written.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => written.extend([other]),
        }
    }
    written
}
