//! The refusals of limited functions, as responses of the document of an API.

use crate::manifest::Entry;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

/// What the service sends to a refused client.
#[derive(Args, Debug)]
pub(crate) struct Form {
    /// The form of the answers: `text`, `problem-json`, or the schema in the document that describes the JSON of
    /// `Answers::custom`
    #[arg(long, requires = "openapi", value_name = "FORM", default_value = "text")]
    answers: String,
    /// The header fields of `RateLimitLayer`; `none` for a service without the layer
    #[arg(long, requires = "openapi", value_enum, default_value = "draft11")]
    headers: Headers,
    /// The status if a limit is used up, if `Answers::custom` changes it
    #[arg(long, requires = "openapi", value_name = "CODE", default_value_t = 429, value_parser = clap::value_parser!(u16).range(200..600))]
    status: u16,
}

/// The variants of `RateLimitHeaders`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Headers {
    Draft11,
    XRateLimit,
    XRateLimitEpoch,
    None,
}

/// A refusal of a function: its name among the responses of the document, its status, and the response.
pub(super) struct Refusal {
    pub(super) component: &'static str,
    pub(super) status: String,
    pub(super) response: Value,
}

const LIMITED: &str = "RefusedByRateLimit";
const UNIDENTIFIED: &str = "UnidentifiedForRateLimit";
const UNAVAILABLE: &str = "UndecidedRateLimit";
/// All names that this command gives to responses. They are unlike those that an author chooses, such as `RateLimited`, because
/// the command replaces and removes the responses with these names.
pub(super) const COMPONENTS: [&str; 3] = [LIMITED, UNIDENTIFIED, UNAVAILABLE];

/// Whether the client can be refused by this limit. The refusals of internal limits are outages of the service.
pub(super) fn refuses(entry: &Entry) -> bool {
    !entry.arguments.contains_key("pause_if") && entry.arguments.get("shadow").is_none_or(Value::is_object)
}

impl Form {
    /// The refusals of a function with these limits.
    pub(super) fn refusals(&self, limits: &[&Entry], document: &Value) -> Result<Vec<Refusal>, String> {
        let needs_identity = limits.iter().any(|limit| {
            let by = limit.arguments.get("by").and_then(Value::as_array).into_iter().flatten();
            by.filter_map(Value::as_str).any(|word| word == "user" || word.starts_with("header:"))
        });
        let denies = limits.iter().any(|limit| limit.on_error().as_deref() == Some("deny"));
        let all = [
            (LIMITED, self.status, "The limit is used up. Try again after `Retry-After`.", true),
            (UNIDENTIFIED, 400, "The request does not say who it is from.", needs_identity),
            (UNAVAILABLE, 503, "The limit could not be decided. Try again after `Retry-After`.", denies),
        ];
        let mut refusals = Vec::new();
        for (component, status, description, _) in all.into_iter().filter(|refusal| refusal.3) {
            let (content, headers) = (self.content(document)?, self.headers(component != UNIDENTIFIED));
            let mut response = json!({ "content": content, "description": description });
            if !headers.is_empty() {
                response["headers"] = headers.into();
            }
            refusals.push(Refusal { component, status: status.to_string(), response });
        }
        Ok(refusals)
    }

    fn content(&self, document: &Value) -> Result<Value, String> {
        let names = json!({ "items": { "type": "string" }, "type": "array" });
        let text = json!({ "type": "string" });
        Ok(match self.answers.as_str() {
            "text" => json!({ "text/plain": { "schema": text } }),
            "problem-json" => json!({ "application/problem+json": { "schema": {
                "properties": {
                    "detail": text, "status": { "type": "integer" }, "title": text, "type": text, "violated-policies": names
                },
                "required": ["type", "title", "status"],
                "type": "object"
            } } }),
            name if document["components"]["schemas"].get(name).is_some() => {
                json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{name}") } } })
            }
            name => {
                return Err(format!(
                    "the document has no schema `{name}`; expected `text`, `problem-json`, or a name in `components.schemas`"
                ));
            }
        })
    }

    /// None of the fields is required: `Retry-After` is left out if nobody knows the wait, and only the layer adds the others.
    fn headers(&self, retry_after: bool) -> Map<String, Value> {
        const SECONDS: (&str, &str) = ("integer", "seconds until the request can pass");
        let fields: &[(&str, (&str, &str))] = match self.headers {
            Headers::None => &[],
            Headers::Draft11 => &[
                ("RateLimit", ("string", "the limits that refused the request")),
                ("RateLimit-Policy", ("string", "all limits of the request")),
            ],
            Headers::XRateLimit | Headers::XRateLimitEpoch => &[
                ("X-RateLimit-Limit", ("integer", "the most units that the limit holds")),
                ("X-RateLimit-Remaining", ("integer", "units that are left")),
                ("X-RateLimit-Reset", SECONDS),
            ],
        };
        let fields = fields.iter().chain(retry_after.then_some(&("Retry-After", SECONDS)));
        let mut headers = Map::new();
        for (name, (kind, description)) in fields {
            let is_time = matches!(self.headers, Headers::XRateLimitEpoch) && *name == "X-RateLimit-Reset";
            let description =
                if is_time { "time of the next try, in seconds since 1970" } else { description };
            headers.insert(
                (*name).to_owned(),
                json!({ "description": description, "schema": { "type": kind } }),
            );
        }
        headers
    }
}
