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
    let (mut json, mut changes, mut used) = (Json::new(text), Vec::new(), BTreeMap::new());
    for (at, operation) in operations.iter().enumerate() {
        let limits = functions.get(&at).map(Vec::as_slice).unwrap_or_default();
        let refusals = if limits.is_empty() { Vec::new() } else { form.refusals(limits, &document)? };
        for (what, status) in complete(&mut json, operation, &refusals)? {
            let place = limits.first().map(|limit| format!("  (`{}`, {})", limit.function, limit.place()));
            changes.push(format!("{what}  {operation}: {status}{}", place.unwrap_or_default()));
        }
        let named =
            |refusal: &Refusal| operation.response(&refusal.status).is_none_or(|it| own(it).is_some());
        let named = refusals.into_iter().filter(named);
        used.extend(named.map(|refusal| (refusal.component, refusal.response)));
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
            changes.push(format!("changed  {RESPONSES}{name}"));
        }
    }
    Ok(Updated { text: json.text, changes, notes })
}

/// The name of a response of this command.
fn own(response: &Value) -> Option<&str> {
    let name = response.get("$ref")?.as_str()?.strip_prefix(RESPONSES)?;
    COMPONENTS.contains(&name).then_some(name)
}

/// Gives an operation exactly these refusals. A response that somebody has written stays, and gets the parts that it lacks.
/// Returns what was done, with the statuses.
fn complete<'r>(
    json: &mut Json,
    operation: &Operation<'r>,
    refusals: &'r [Refusal],
) -> Result<Vec<(&'static str, &'r str)>, String> {
    let at = |status: &'r str| ["paths", operation.path, operation.method, "responses", status];
    let mut done = Vec::new();
    for (status, response) in operation.responses() {
        let lasts =
            |name| refusals.iter().any(|refusal| refusal.status == *status && refusal.component == name);
        if own(response).is_some_and(|name| !lasts(name)) {
            json.remove(&at(status))?;
            done.push(("removed", status.as_str()));
        }
    }
    for Refusal { component, status, response } in refusals {
        let Some(written) = operation.response(status) else {
            json.set(&at(status), json!({ "$ref": format!("{RESPONSES}{component}") }))?;
            done.push(("added  ", status.as_str()));
            continue;
        };
        let mut lacking = Vec::new();
        if written.get("$ref").is_none() {
            let has = |name: &str| {
                written["headers"]
                    .as_object()
                    .is_some_and(|all| all.keys().any(|it| it.eq_ignore_ascii_case(name)))
            };
            lacking.extend(written.get("content").is_none().then(|| (vec!["content"], &response["content"])));
            let fields = response["headers"].as_object().into_iter().flatten().filter(|(name, _)| !has(name));
            lacking.extend(fields.map(|(name, field)| (vec!["headers", name], field)));
        }
        for (path, part) in &lacking {
            json.set(&[&at(status)[..], path].concat(), (*part).clone())?;
        }
        done.extend((!lacking.is_empty()).then_some(("changed", status.as_str())));
    }
    Ok(done)
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
    let place = format!("`{}` ({})", function.function, function.place());
    let fitting: Vec<_> = fitting.map(Operation::to_string).collect();
    if fitting.is_empty() {
        let id = function.handler.operation_id.as_deref().unwrap_or(parts[parts.len() - 1]);
        return format!("no operation for {place}: if it is a handler, give its operation the id `{id}`");
    }
    let (fitting, id) = (fitting.join(", "), parts[parts.len().saturating_sub(2)..].join("_"));
    format!("several functions or operations fit {place}: {fitting}; give its operation the id `{id}`")
}
