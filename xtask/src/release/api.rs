//! Checks the types of other crates in the public API. A breaking release of such a crate is a breaking release of this library,
//! so each such crate must be on a list.

use super::rustdoc::{self, Features};
use super::semver;
use super::surface::{Surface, list};
use crate::progress::Verdict;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The crates whose types may be in the public API, each with the features that show them. Without a feature, the types are
/// always there.
const PERMITTED: [(&str, &str); 24] = [
    ("actix_http", "actix-web"),
    ("actix_service", "actix-web"),
    ("actix_web", "actix-web"),
    ("axum", "axum"),
    ("axum_core", "axum"),
    ("bytes", "tower"),
    ("futures_core", "tonic"),
    ("http", "tower, poem, salvo"),
    ("http_body", "tower"),
    ("pin_project_lite", "tower"), // a bound that its macro writes; nobody can name it
    ("poem", "poem"),
    ("ratelimit_limit", ""),
    ("ratelimit_macros", ""),
    ("redis", "redis-1"),
    ("rmcp", "rmcp-3"),
    ("rocket", "rocket"),
    ("rocket_http", "rocket"),
    ("salvo_core", "salvo"),
    ("serde_core", "serde"),
    ("tonic", "tonic"),
    ("tower_layer", "tower"),
    ("tower_service", "tower"),
    ("ulid", "ulid"),
    ("uuid", "uuid"),
];

pub(crate) fn check() -> Result<Verdict, String> {
    let mut mistakes = Vec::new();
    for features in [Features::All, Features::None] {
        let found = found(features)?;
        let permitted = |name: &str| {
            let entry = PERMITTED.iter().find(|(permitted, _)| *permitted == name);
            entry.filter(|(_, feature)| features == Features::All || feature.is_empty())
        };
        println!("{}", if features == Features::All { "all features" } else { "no feature" });
        for (other, paths) in &found {
            let entry = permitted(other);
            println!(
                "  {other:<18}{:>4} items  {}",
                paths.len(),
                entry.map_or("NOT PERMITTED", |(_, feature)| *feature)
            );
            if entry.is_none() {
                mistakes.extend(paths.iter().map(|path| format!("{path} shows a type of `{other}`")));
            }
        }
        let gone =
            PERMITTED.iter().filter(|(name, _)| permitted(name).is_some() && !found.contains_key(*name));
        mistakes
            .extend(gone.map(|(name, _)| format!("no public item shows `{name}`: remove it from the list")));
    }
    if mistakes.is_empty() { Ok(Verdict::Passed) } else { Err(mistakes.join("\n")) }
}

/// The other crates whose types the public items show, each with these items.
fn found(features: Features) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for (package, library) in semver::PUBLIC {
        let json = rustdoc::json(package, library, features)?;
        for (other, path) in foreign(&Surface::of(&json)) {
            found.entry(other).or_default().insert(format!("{library}::{path}"));
        }
    }
    Ok(found)
}

/// The other crates that the signatures of the public items name, each with an item.
fn foreign(surface: &Surface<'_>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for item in &surface.items {
        let mut ids = Vec::new();
        ids_in(&item.value["inner"], &mut ids);
        // The methods of a type are separate items.
        let blocks = surface.implementations(item.value).into_iter();
        for block in blocks.filter(|block| !block["inner"]["impl"]["trait"].is_null()) {
            ids_in(&block["inner"], &mut ids);
            let trait_items = list(&block["inner"]["impl"]["items"]).filter_map(|id| surface.get(id));
            trait_items.for_each(|member| ids_in(&member["inner"], &mut ids));
        }
        let others = ids.into_iter().filter_map(|id| surface.library(id));
        let others = others.filter(|name| !["std", "core", "alloc"].contains(name));
        found.extend(others.map(|name| (name.to_owned(), item.path.clone())));
    }
    found
}

/// The ids of all paths in a signature. A path has an id and its text; an import has an id and its source.
fn ids_in(value: &Value, ids: &mut Vec<u64>) {
    match value {
        Value::Object(fields) => {
            let is_path = fields.contains_key("path") || fields.contains_key("source");
            ids.extend(fields.get("id").filter(|_| is_path).and_then(Value::as_u64));
            fields.values().for_each(|field| ids_in(field, ids));
        }
        Value::Array(values) => values.iter().for_each(|value| ids_in(value, ids)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::foreign;
    use crate::release::surface::Surface;
    use crate::release::surface::tests::library;

    #[test]
    fn types_of_other_crates_are_found_in_signatures() {
        let json = library();
        let found = foreign(&Surface::of(&json));
        assert!(found.into_iter().eq([("other".to_owned(), "Gate::open".to_owned())]));
    }
}
