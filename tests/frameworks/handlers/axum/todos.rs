//! Two handlers of the todo example of utoipa, with the attribute below `#[utoipa::path]`.

use super::{assert_refused, bare, outcome, send};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use axum::{Json, Router};
use ratelimit::rate_limit;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::Mutex;
use utoipa::{OpenApi, ToSchema};

type Store = Mutex<Vec<Todo>>;

#[derive(Clone, Deserialize, Serialize, ToSchema)]
struct Todo {
    id: i32,
    value: String,
    done: bool,
}

#[derive(Serialize, ToSchema)]
enum TodoError {
    Conflict(String),
}

/// Compiles as it stands: what it returns becomes `Result<impl IntoResponse, Rejection>`.
#[utoipa::path(
    post,
    path = "/todo",
    responses((status = 201, body = Todo), (status = 409, body = TodoError), (status = 429)),
)]
#[rate_limit(key = "create_todo", count = 2, by = "global")]
async fn create_todo(State(store): State<Arc<Store>>, Json(todo): Json<Todo>) -> impl IntoResponse {
    let mut todos = store.lock().await;
    if todos.iter().any(|known| known.id == todo.id) {
        return (StatusCode::CONFLICT, Json(TodoError::Conflict(todo.value))).into_response();
    }
    todos.push(todo.clone());
    (StatusCode::CREATED, Json(todo)).into_response()
}

/// It returns a status: "`#[rate_limit]` cannot turn a rejection into `StatusCode`", with the note "write `fallible`". A status that
/// was made from a rejection would lose `Retry-After`.
#[utoipa::path(
    put,
    path = "/todo/{id}",
    params(("id" = i32, Path)),
    responses((status = 200), (status = 404), (status = 429)),
)]
#[rate_limit(key = "mark_done", count = 2, by = "header:todo_apikey", fallible)]
async fn mark_done(Path(id): Path<i32>, State(store): State<Arc<Store>>, headers: HeaderMap) -> StatusCode {
    if headers["todo_apikey"] != "right" {
        return StatusCode::UNAUTHORIZED;
    }
    let mut todos = store.lock().await;
    todos.iter_mut().find(|todo| todo.id == id).map_or(StatusCode::NOT_FOUND, |todo| {
        todo.done = true;
        StatusCode::OK
    })
}

#[derive(OpenApi)]
#[openapi(paths(create_todo, mark_done))]
struct ApiDoc;

#[tokio::test]
async fn todos_are_limited_and_documented() {
    let store = Arc::new(Store::default());
    let app = Router::new()
        .route("/todo", any(create_todo))
        .route("/todo/{id}", get(mark_done))
        .with_state(Arc::clone(&store));
    let client = bare(app).await;
    let todo = r#"{"id":1,"value":"buy bread","done":false}"#;
    assert_eq!(outcome(&send(&client, "/todo", todo).await), (201, None));
    assert_eq!(outcome(&send(&client, "/todo", todo).await), (409, None));
    assert_refused(&send(&client, "/todo", todo).await);

    let key = [("todo_apikey", "right")];
    assert_eq!(client.get_with("/todo/1", &key).await.status, 200);
    assert_eq!(client.get_with("/todo/2", &key).await.status, 404);
    assert_refused(&client.get_with("/todo/1", &key).await);
    assert_eq!(client.get_with("/todo/1", &[("todo_apikey", "wrong")]).await.status, 401);
    assert_eq!(outcome(&client.get("/todo/1").await), (400, None), "the key is missing");
    assert!(store.lock().await[0].done);

    let paths = ApiDoc::openapi().paths.paths;
    assert!(paths.contains_key("/todo") && paths.contains_key("/todo/{id}"));
}
