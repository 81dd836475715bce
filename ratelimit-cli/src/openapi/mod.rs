//! Adds the refusals of limited functions to an `OpenAPI` document.
//!
//! A refusal is a response in `components.responses`, with a name that only this command uses. So the command finds its own
//! responses again, and removes them from operations that are no longer limited.

mod edit;
mod operations;
mod refusal;

pub(crate) use refusal::Form;

use crate::manifest::Entry;
use edit::Json;
use operations::{Operation, fitting, operations};
use refusal::{COMPONENTS, Refusal, refuses};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The document with all refusals.
pub(crate) struct Updated {
    pub(crate) text: String,
    /// What differs from the document before, one line each.
    pub(crate) changes: Vec<String>,
    /// Limited functions without an operation, with advice.
    pub(crate) notes: Vec<String>,
}

/// The prefix of references to responses.
const RESPONSES: &str = "#/components/responses/";

/// Adds the refusals of these limits to a document.
///
/// # Errors
///
/// If the text is not the JSON of an `OpenAPI` 3 document, or if it lacks the schema that the form names.
pub(crate) fn update(text: String, entries: &[Entry], form: &Form) -> Result<Updated, String> {
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        format!("is not JSON: {error}; YAML is not read, so generate the document as JSON")
    })?;
    if !document.get("openapi").and_then(Value::as_str).is_some_and(|version| version.starts_with("3.")) {
        return Err("is not an OpenAPI 3 document: expected a field `openapi` such as \"3.1.0\"".to_owned());
    }
    let operations = operations(&document);
    let (functions, notes) = handlers(entries, &operations);
    let mut updated = Updated { text: String::new(), changes: Vec::new(), notes };
    let (mut json, mut used) = (Json::new(text), BTreeMap::new());
    for (at, operation) in operations.iter().enumerate() {
        let limits = functions.get(&at).map(Vec::as_slice).unwrap_or_default();
        let refusals = if limits.is_empty() { Vec::new() } else { form.refusals(limits, &document)? };
        let mut change = |what: &str, status: &str| {
            let place = limits.first().map(|limit| format!("  (`{}`, {})", limit.function, limit.place()));
            let (method, path) = (operation.method.to_uppercase(), operation.path);
            updated.changes.push(format!("{what}  {method} {path}: {status}{}", place.unwrap_or_default()));
        };
        let lasting = |status: &str, name: &str| {
            refusals.iter().any(|refusal| refusal.status == status && refusal.component == name)
        };
        for (status, response) in operation.value["responses"].as_object().into_iter().flatten() {
            if own(response).is_some_and(|name| !lasting(status, name)) {
                json.remove(&["paths", operation.path, operation.method, "responses", status])?;
                change("removed", status);
            }
        }
        for refusal in refusals {
            if let Some(what) = add(&mut json, operation, &refusal)? {
                change(what, &refusal.status);
            }
            let is_own = own(&operation.value["responses"][&refusal.status]).is_some();
            if is_own || operation.value["responses"].get(&refusal.status).is_none() {
                used.insert(refusal.component, refusal.response);
            }
        }
    }
    for name in COMPONENTS {
        let path = ["components", "responses", name];
        let before = document["components"]["responses"].get(name);
        match used.remove(name) {
            Some(response) if before != Some(&response) => json.set(&path, response)?,
            None if before.is_some() => json.remove(&path)?,
            _ => continue,
        }
        if before.is_some() {
            updated.changes.push(format!("changed  {RESPONSES}{name}"));
        }
    }
    updated.text = json.text;
    Ok(updated)
}

/// The name of a response of this command.
fn own(response: &Value) -> Option<&str> {
    let name = response.get("$ref")?.as_str()?.strip_prefix(RESPONSES)?;
    COMPONENTS.contains(&name).then_some(name)
}

/// Adds a refusal to an operation. A response that somebody has written stays, and gets the parts that it lacks. Returns what was
/// done.
fn add(
    json: &mut Json,
    operation: &Operation<'_>,
    refusal: &Refusal,
) -> Result<Option<&'static str>, String> {
    let path = ["paths", operation.path, operation.method, "responses", &refusal.status];
    let Some(written) = operation.value["responses"].get(&refusal.status) else {
        json.set(&path, json!({ "$ref": format!("{RESPONSES}{}", refusal.component) }))?;
        return Ok(Some("added  "));
    };
    let mut changed = None;
    if written.get("$ref").is_some() {
        return Ok(None);
    }
    if written.get("content").is_none() {
        json.set(&[&path[..], &["content"]].concat(), refusal.response["content"].clone())?;
        changed = Some("changed");
    }
    for (name, header) in refusal.response["headers"].as_object().into_iter().flatten() {
        let mut known = written["headers"].as_object().into_iter().flatten();
        if !known.any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            json.set(&[&path[..], &["headers", name]].concat(), header.clone())?;
            changed = Some("changed");
        }
    }
    Ok(changed)
}

/// The limits of each operation, and notes about the functions that are no operation.
fn handlers<'e>(
    entries: &'e [Entry],
    operations: &[Operation<'_>],
) -> (BTreeMap<usize, Vec<&'e Entry>>, Vec<String>) {
    // A file can belong to several targets. The name of the crate is then different.
    let key = |entry: &&'e Entry| (&entry.file, entry.function.split_once("::").map(|(_, path)| path));
    let mut functions: BTreeMap<_, Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| refuses(entry)) {
        functions.entry(key(&entry)).or_default().push(entry);
    }
    let (mut found, mut notes) = (BTreeMap::<_, Vec<Vec<&Entry>>>::new(), Vec::new());
    for limits in functions.into_values() {
        match fitting(limits[0], operations)[..] {
            [at] => found.entry(at).or_default().push(limits),
            ref several => notes.push(note(limits[0], several.iter().map(|at| &operations[*at]))),
        }
    }
    found.retain(|at, functions| {
        let is_one = functions.len() == 1;
        let ambiguous = functions.iter().filter(|_| !is_one);
        notes.extend(ambiguous.map(|limits| note(limits[0], [&operations[*at]].into_iter())));
        is_one
    });
    (found.into_iter().map(|(at, functions)| (at, functions.concat())).collect(), notes)
}

fn note<'o>(function: &Entry, fitting: impl Iterator<Item = &'o Operation<'o>>) -> String {
    let parts: Vec<&str> = function.function.split("::").collect();
    let long = parts[parts.len().saturating_sub(2)..].join("_");
    let place = format!("`{}` ({})", function.function, function.place());
    let fitting: Vec<_> = fitting.map(|it| format!("{} {}", it.method.to_uppercase(), it.path)).collect();
    if fitting.is_empty() {
        let id = function.handler.operation_id.as_deref().unwrap_or(parts[parts.len() - 1]);
        return format!("no operation for {place}: if it is a handler, give its operation the id `{id}`");
    }
    let fitting = fitting.join(", ");
    format!("several functions or operations fit {place}: {fitting}; give its operation the id `{long}`")
}
