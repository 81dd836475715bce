//! Tests of URLs.

use super::*;

fn message(url: &str) -> String {
    Target::parse(url).err().unwrap_or_else(|| panic!("{url} was accepted")).to_string()
}

fn server(url: &str) -> Endpoint {
    match Target::parse(url) {
        Ok(Target::Server(Connector::Server(endpoint, _))) => endpoint,
        _ => panic!("{url} does not name one server"),
    }
}

#[test]
fn a_server_is_shown_without_its_password() {
    for (url, shown) in [
        ("redis://user:sesame@localhost:7000/2", "localhost:7000"),
        ("valkey://localhost", "localhost:6379"),
        ("redis://:sesame@[::1]:7000", "[::1]:7000"),
        ("redis://[::1]", "[::1]:6379"),
        ("redis://localhost/?protocol=resp3", "localhost:6379"),
        ("unix:///run/redis.sock?db=2&pass=sesame", "/run/redis.sock"),
        ("redis+unix:///run/redis.sock", "/run/redis.sock"),
        ("valkey+unix:///run/redis.sock", "/run/redis.sock"),
    ] {
        let endpoint = server(url);
        assert_eq!(endpoint.to_string(), shown, "{url}");
        assert_eq!(format!("{endpoint:?}"), shown, "{url}");
    }
}

#[test]
fn settings_are_parsed() {
    let endpoint = server("redis://ann:s%2Fsame@localhost:7000/3?protocol=resp3");
    let settings = &endpoint.settings;
    assert_eq!((settings.username(), settings.password(), settings.db()), (Some("ann"), Some("s/same"), 3));
    assert_eq!(settings.protocol(), redis::ProtocolVersion::RESP3);
    assert_eq!(server("unix:///run/redis.sock?db=2&pass=sesame").settings.db(), 2);
}

#[test]
fn sentinels_name_the_primary() {
    let url = "redis+sentinel://ann:sesame@a,b:7001,[::1]/main/2?sentinel_user=bob&sentinel_pass=open";
    let Ok(Target::Server(Connector::Sentinels(sentinels))) = Target::parse(url) else { panic!("{url}") };
    let Sentinels { endpoints, name, primary, .. } = sentinels;
    let shown: Vec<String> = endpoints.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["a:26379", "b:7001", "[::1]:26379"]);
    assert_eq!((name.as_str(), primary.settings.db()), ("main", 2));
    assert_eq!((primary.settings.username(), primary.settings.password()), (Some("ann"), Some("sesame")));
    for sentinel in endpoints {
        let settings = sentinel.settings;
        assert_eq!((settings.username(), settings.password()), (Some("bob"), Some("open")));
        assert_eq!(settings.db(), 0);
    }
}

#[test]
fn a_cluster_has_several_nodes() {
    let Ok(Target::Cluster(nodes)) = Target::parse("redis+cluster://:sesame@a:7000,b/") else { panic!() };
    let shown: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["a:7000", "b:6379"]);
    assert!(nodes.iter().all(|node| node.settings.password() == Some("sesame")));
}

#[test]
fn a_malformed_url_is_refused_without_its_password() {
    for url in [
        "",
        "localhost",
        "sesame",
        "http://user:sesame@localhost",
        "redis+http://user:sesame@localhost",
        "redis://:sesame",
        "redis://:sesame@localhost:port",
        "redis://:ses@me:sesame@:99999",
        "user:sesame@localhost",
        "redis://:sesame#1@localhost:1",
        "redis://ann:sesame?1@localhost",
        "redis://ann:12#sesame@localhost",
        "redis://ann:12?sesame@localhost",
        "redis://ann:12/sesame@localhost",
    ] {
        let message = message(url);
        assert!(!message.contains("sesame") && !message.contains("12"), "{url}: {message}");
        assert!(message.contains("redis://[user:password@]host"), "{message}");
    }
    let message = message("redis://:sesame@cache.internal:port");
    assert!(message.contains("at `cache.internal:port`: the port is no number"), "{message}");
}

#[test]
fn the_rest_of_a_password_is_not_shown_as_a_host() {
    for url in [
        "redis+sentinel://a/main?sentinel_pass=12@sesame",
        "unix:///run/redis.sock?database=3&pass=12@sesame",
        "redis://a:port?pass=12#@sesame",
    ] {
        let message = message(url);
        assert!(!message.contains("sesame") && !message.contains("12"), "{url}: {message}");
    }
}

#[test]
fn an_error_says_what_does_not_fit_the_scheme() {
    for (url, why, form) in [
        ("redis://a,b", "several hosts", "redis://["),
        ("redis://a/b", "number of a database", "redis://["),
        ("redis://a/-1", "number of a database", "redis://["),
        ("redis://a?sesame=1", "unknown parameter; expected one of `protocol`", "redis://["),
        ("redis://a?tls_ca=x", "need `rediss`", "redis://["),
        ("redis://a?protocol=4", "expected `resp2` or `resp3`", "redis://["),
        ("redis://a?protocol=2&protocol=3", "`protocol` is set twice", "redis://["),
        ("redis+cluster://a,b/1", "only database 0", "redis+cluster://["),
        ("redis+cluster://a,,b", "malformed", "redis+cluster://["),
        ("redis+sentinel://a,b", "name of the primary", "/name[/database]"),
        ("redis+sentinel://a,b/na:me", "name of the primary", "/name[/database]"),
        ("redis+unix:", "no scheme", "redis://["),
    ] {
        let message = message(url);
        assert!(message.contains(why) && message.contains(form), "{url}: {message}");
        assert!(!message.contains("sesame"), "{url}: {message}");
    }
}

#[test]
fn a_character_that_nobody_sees_is_named() {
    for (url, says) in [
        ("redis://a:7000\n", "it ends with a line break; remove it, for example with `.trim()`"),
        ("redis://a:7000\r\n", "it ends with a line break"),
        ("redis://a:7000 ", "it ends with a space"),
        ("redis://a/\t", "it ends with a tab"),
        (" redis+cluster://a", "it begins with a space"),
        ("\u{feff}redis://a", "it begins with the invisible character U+FEFF"),
        ("redis://a:70\u{200b}00", "it contains the invisible character U+200B"),
        ("redis://:ses\name@a:7000", "it contains a line break; remove it, or percent-encode it"),
        ("redis://:sesame\n@a:7000", "it contains a line break"),
        ("redis://a,\n b:7000", "it contains a line break"),
        ("unix:///run/redis.sock\n", "it ends with a line break"),
        ("redis+sentinel://a/main?sentinel_pass=sesame\n", "it ends with a line break"),
    ] {
        let message = message(url);
        assert!(message.contains(says), "{url:?}: {message}");
        assert!(!message.contains("sesame") && !message.contains("ame@"), "{message}");
    }
    assert!(message(" redis+cluster://a").contains("write `redis+cluster://["), "the form of its scheme");
    assert_eq!(server("redis://:a%0Ab@a").settings.password(), Some("a\nb"));
}

#[cfg(not(feature = "tls"))]
#[test]
fn encryption_needs_the_feature() {
    for url in ["rediss://:sesame@a", "rediss+cluster://a,b", "valkeys+sentinel://a/main"] {
        let message = message(url);
        assert!(message.contains("feature `tls`") && !message.contains("sesame"), "{message}");
    }
}
