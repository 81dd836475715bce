//! A service on poem with a document by poem-openapi, whose operations have an id only if the attribute sets it.

use poem::Request;
use poem::web::RemoteAddr;
use poem_openapi::param::Path;
use poem_openapi::payload::{Json, PlainText};
use poem_openapi::{ApiResponse, Object, OpenApi, OpenApiService};
use ratelimit::{FromRejection, Rejection, rate_limit};

#[derive(Object)]
struct Hit {
    id: u64,
}

#[derive(Object)]
struct Refusal {
    message: String,
}

/// A type with the refusal, so that the generator describes it.
#[derive(ApiResponse)]
enum Export {
    #[oai(status = 200)]
    Done(PlainText<String>),
    /// One export per minute
    #[oai(status = 429)]
    TooMany(Json<Refusal>, #[oai(header = "Retry-After")] Option<u64>),
}

impl FromRejection for Export {
    fn from_rejection(rejection: Rejection) -> Self {
        let wait = rejection.retry_after().map(|wait| wait.as_secs() + 1);
        Self::TooMany(Json(Refusal { message: rejection.to_string() }), wait)
    }
}

struct Shop;

#[OpenApi(prefix_path = "/v1")]
impl Shop {
    /// Found by its method and path.
    #[oai(path = "/login", method = "post")]
    #[rate_limit(key = "login", time = "1m", count = 2, by = "ip")]
    async fn login(&self, peer: &RemoteAddr) -> poem::Result<PlainText<String>> {
        Ok(PlainText(peer.to_string()))
    }

    /// Found by its id.
    #[rate_limit(key = "search", time = "1m", count = 2, by = "header:x-api-key")]
    #[oai(path = "/search", method = "get", operation_id = "searchItems")]
    async fn search(&self, request: &Request) -> poem::Result<Json<Vec<Hit>>> {
        Ok(Json(vec![Hit { id: request.headers().len() as u64 }]))
    }

    #[oai(path = "/reports/:id", method = "get")]
    #[rate_limit(key = "report:{id}", time = "1m", count = 2, by = "global")]
    async fn report(&self, Path(id): Path<u64>) -> poem::Result<Json<Hit>> {
        Ok(Json(Hit { id }))
    }

    #[oai(path = "/exports", method = "post")]
    #[rate_limit(key = "export", time = "1m", count = 1, by = "global")]
    async fn export(&self) -> Export {
        Export::Done(PlainText("done".to_owned()))
    }

    #[oai(path = "/health", method = "get")]
    async fn health(&self) -> PlainText<&'static str> {
        PlainText("up")
    }
}

/// The document without refusals.
pub(crate) fn document() -> String {
    service().spec() + "\n"
}

fn service() -> OpenApiService<Shop, ()> {
    OpenApiService::new(Shop, "shop", "1")
}
