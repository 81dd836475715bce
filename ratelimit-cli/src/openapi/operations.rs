//! Finds the operation of a document that a limited function handles.

use crate::manifest::{Entry, METHODS};
use serde_json::{Map, Value};
use std::fmt;

/// One operation of a document.
pub(super) struct Operation<'d> {
    pub(super) path: &'d str,
    pub(super) method: &'d str,
    value: &'d Value,
}

/// All operations, in the order of their paths.
pub(super) fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let all = paths.flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |it| (path, it)));
    all.filter(|(_, (method, _))| METHODS.contains(&method.as_str()))
        .map(|(path, (method, value))| Operation { path, method, value })
        .collect()
}

/// The positions of the operations that fit the function best. A function has an operation only if exactly one fits.
pub(super) fn fitting(function: &Entry, operations: &[Operation<'_>]) -> Vec<usize> {
    let ranks: Vec<_> = operations.iter().map(|operation| operation.rank(function)).collect();
    let best = ranks.iter().flatten().max();
    let fits = |at: &usize| best.is_some() && ranks[*at].as_ref() == best;
    (0..ranks.len()).filter(fits).collect()
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method.to_uppercase(), self.path)
    }
}

impl<'d> Operation<'d> {
    pub(super) fn responses(&self) -> impl Iterator<Item = (&'d String, &'d Value)> + use<'d> {
        self.value.get("responses").and_then(Value::as_object).into_iter().flat_map(Map::iter)
    }

    pub(super) fn response(&self, status: &str) -> Option<&'d Value> {
        self.value.get("responses")?.get(status)
    }

    /// How well the operation fits: by id and path, by id, by the whole path, by the end of the path. An id with more modules
    /// fits better.
    fn rank(&self, function: &Entry) -> Option<(u8, usize)> {
        let handler = &function.handler;
        let id = self.id_of(function);
        let Some(path) = &handler.path else { return id.map(|modules| (2, modules)) };
        let end = end_of(path, self.path)?;
        if handler.method.as_ref().is_some_and(|method| method != self.method) {
            return None;
        }
        match id {
            Some(modules) => Some((3, modules)),
            None if path.len() < 2 => None,
            None => Some((u8::from(end), 0)),
        }
    }

    /// Whether the id belongs to the function: it is the id in the attribute, or the name with any number of modules before it,
    /// as in `list` and `users_list`. Returns the number of the modules.
    fn id_of(&self, function: &Entry) -> Option<usize> {
        let id = self.value.get("operationId")?.as_str()?;
        if let Some(own) = &function.handler.operation_id {
            return (own == id).then_some(0);
        }
        let parts: Vec<&str> = function.function.split("::").collect();
        let id = id.replace("::", "_").replace(['.', '-'], "_");
        (0..parts.len()).find(|modules| parts[parts.len() - 1 - modules..].join("_") == id)
    }
}

/// Whether a path of the document is the path in an attribute (`true`), or ends with it because routers add a prefix (`false`).
/// The names of placeholders do not matter: `{id}`, `:id`, `<id>`.
fn end_of(own: &str, path: &str) -> Option<bool> {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.trim_end_matches('/').split('/').filter(|part| !part.is_empty());
        let placed = |part: &str| if part.starts_with([':', '{', '<']) { "{}" } else { part }.to_owned();
        parts.map(placed).collect()
    };
    let (own, path) = (parts(own), parts(path));
    path.ends_with(&own).then_some(path.len() == own.len())
}
