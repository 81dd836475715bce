//! Handlers of salvo's own examples, documented by `#[endpoint]`.

use crate::harness::client::{Client, Reply, Version};
use crate::salvo::server;
use ratelimit::{RateLimitLayer, RateLimiter, rate_limit};
use salvo::oapi::extract::JsonBody;
use salvo::oapi::{OpenApi, ToSchema, endpoint};
use salvo::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
struct Todo {
    id: u64,
    text: String,
    completed: bool,
}

static TODOS: Mutex<Vec<Todo>> = Mutex::new(Vec::new());

/// `oapi-todos`: stores a todo. The argument `req` was added, because no other argument identifies the caller.
#[endpoint(
    tags("todos"),
    responses((status_code = 201, description = "created"), (status_code = 409, description = "exists already"))
)]
#[rate_limit(key = "create_todo", time = "1m", count = 2, by = "ip")]
async fn create_todo(new_todo: JsonBody<Todo>, req: &mut Request) -> Result<StatusCode, StatusError> {
    assert_eq!(req.method(), salvo::http::Method::POST);
    let mut todos = TODOS.lock().unwrap_or_else(PoisonError::into_inner);
    if todos.iter().any(|todo| todo.id == new_todo.id) {
        return Err(StatusError::conflict().brief("todo already exists"));
    }
    todos.push(new_todo.into_inner());
    Ok(StatusCode::CREATED)
}

#[tokio::test]
async fn oapi_todos_create_todo() {
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let router = Router::new().hoop(layer).push(Router::with_path("todos").post(create_todo));
    let document = OpenApi::new("todos", "1").merge_router(&router).to_json().unwrap();
    assert!(document.contains("create_todo") && document.contains("exists already"), "{document}");
    let client = Client::new(server::start(router).await, Version::Http1);
    let post = async |accept: &str| {
        let body = r#"{"id": 7, "text": "tea", "completed": false}"#;
        let request =
            client.post("/todos").header("content-type", "application/json").header("accept", accept);
        Reply::read(request.body(body).send().await.unwrap()).await
    };
    assert_eq!(post("*/*").await.status, 201);
    let conflict = post("application/json").await;
    assert_eq!((conflict.status, conflict.body.contains("todo already exists")), (409, true), "{conflict:?}");
    let refused = post("application/json").await;
    assert_eq!((refused.status, refused.header("content-type")), (429, Some("application/json")));
    assert!(refused.header("retry-after").is_some(), "the layer adds it: {refused:?}");
    assert!(refused.body.contains("too many requests: try again in"), "{refused:?}");
}
