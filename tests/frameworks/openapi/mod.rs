//! Documents of services whose functions are limited, before and after `cargo ratelimit openapi`.
//!
//! The generators of the services write the documents `*.json`, and the command writes `*.limited.json`. The tests of
//! `ratelimit-cli` run the command. The tests here compare the documents with the generators, and with what a service sends.
//! `aide.rs` is not compiled here, because its generator needs other crates.

mod poem;
mod utoipa;

use crate::harness::client::{Client, Reply, Version};
use crate::harness::limiters::failing;
use crate::harness::server::serve;
use axum::Router;
use ratelimit::answer::Answers;
use ratelimit::{RateLimitLayer, RateLimiter};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi").join(name)
}

#[test]
fn the_documents_are_those_of_the_generators() {
    for (name, generated) in [("utoipa.json", utoipa::document()), ("poem.json", poem::document())] {
        let file = file(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&file, &generated).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), generated, "commit the new document: UPDATE_EXPECT=1");
    }
}

/// What a document says about one operation.
struct Operation {
    document: Value,
    path: &'static str,
    method: &'static str,
}

impl Operation {
    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let reference = value.get("$ref").and_then(Value::as_str);
        reference.map_or(value, |reference| self.document.pointer(reference.trim_start_matches('#')).unwrap())
    }

    /// Asserts that the document describes a response: its status, its fields, and its body.
    #[track_caller]
    fn describes(&self, reply: &Reply) {
        let responses = &self.document["paths"][self.path][self.method]["responses"];
        let response = responses.get(reply.status.to_string()).unwrap_or_else(|| panic!("{reply:?}"));
        let response = self.resolved(response);
        let documented = response["headers"].as_object().unwrap();
        for (name, value) in &reply.headers {
            let is_ours = ["retry-after", "ratelimit", "ratelimit-policy"].contains(&name.as_str());
            let known = documented.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_str()));
            assert_eq!(is_ours, known.is_some(), "{name}: {reply:?}");
            let text = value.to_str().unwrap().to_owned();
            let value = text.parse().map_or(Value::from(text), |number: u64| Value::from(number));
            assert!(known.is_none_or(|(_, header)| fits(&header["schema"], &value)), "{name}: {reply:?}");
        }
        let kind = reply.headers["content-type"].to_str().unwrap().split(';').next().unwrap();
        let schema = &response["content"][kind]["schema"];
        let body = serde_json::from_str(&reply.body).unwrap_or_else(|_| reply.body.clone().into());
        assert!(fits(schema, &body), "{schema} {reply:?}");
    }
}

/// Whether a value fits a schema, as far as schemas of refusals need it.
fn fits(schema: &Value, value: &Value) -> bool {
    let known = schema["properties"].as_object();
    let has_required = schema["required"]
        .as_array()
        .is_none_or(|required| required.iter().all(|name| value.get(name.as_str().unwrap()).is_some()));
    has_required
        && match schema["type"].as_str() {
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64(),
            Some("array") => {
                value.as_array().is_some_and(|all| all.iter().all(|it| fits(&schema["items"], it)))
            }
            Some("object") => value.as_object().is_some_and(|members| {
                members.iter().all(|(name, value)| fits(&known.unwrap()[name], value))
            }),
            _ => false,
        }
}

/// The refusals that a limited service sends, in both forms, are the refusals in its document.
#[tokio::test]
async fn a_service_sends_the_refusals_of_its_document() {
    for (document, answers) in
        [("utoipa.limited.json", Answers::text()), ("utoipa.problem.json", Answers::problem_json())]
    {
        let document: Value = serde_json::from_str(&fs::read_to_string(file(document)).unwrap()).unwrap();
        let operation = |method, path| Operation { document: document.clone(), path, method };
        let layer = RateLimitLayer::new().answers(answers);
        let app = |limiter| Router::new().merge(utoipa::routes()).layer(layer.clone().limiter(limiter));
        let client = Client::new(serve(app(RateLimiter::in_memory())).await, Version::Http1);
        let mut replies = Vec::new();
        for _ in 0..3 {
            replies = vec![
                Reply::read(client.post("/login").send().await.unwrap()).await,
                client.get_with("/search", &[("x-api-key", "k")]).await,
                client.get("/reports/7").await,
                client.get("/users").await,
            ];
        }
        let limited = [("post", "/login"), ("get", "/search"), ("get", "/reports/{id}"), ("get", "/users")];
        for (reply, (method, path)) in replies.iter().zip(limited) {
            assert_eq!(reply.status, 429);
            operation(method, path).describes(reply);
        }
        let unidentified = client.get("/search").await;
        assert_eq!(unidentified.status, 400);
        operation("get", "/search").describes(&unidentified);
        let client = Client::new(serve(app(failing().await)).await, Version::Http1);
        let unavailable = client.get_with("/search", &[("x-api-key", "k")]).await;
        assert_eq!(unavailable.status, 503);
        operation("get", "/search").describes(&unavailable);
        assert!(ratelimit::scope(RateLimiter::in_memory(), utoipa::job()).await.is_ok());
    }
}
