//! Fuzz target `url`: reads URLs of stores. A wrong URL must be refused, and the message must not contain any part of a password.

use ratelimit::__testing::read_url;
use ratelimit::ErrorKind;

const PASSWORD: &str = "hunter2";

pub(super) fn run(text: &str) {
    if text.contains("tls_") {
        return; // a URL that names files
    }
    let with_password = format!("redis://user:{PASSWORD}{text}@127.0.0.1");
    let as_written = text.replacen("://", &format!("://user:{PASSWORD}@"), 1);
    let of_sentinels = format!("{text}?sentinel_pass={PASSWORD}");
    for url in [text, &with_password, &as_written, &of_sentinels] {
        if let Err(error) = read_url(url) {
            assert!(error.kind() == ErrorKind::Configuration, "{url:?}: {error}");
            assert!(text.contains(PASSWORD) || !error.to_string().contains(PASSWORD), "{url:?}: {error}");
        }
    }
}
