//! The public items of a library, read from rustdoc's JSON.

use serde_json::Value;
use std::collections::HashSet;

/// A public item.
pub(crate) struct Item<'a> {
    /// The path as users write it, without the crate.
    pub(crate) path: String,
    pub(crate) value: &'a Value,
    /// The modules and the type that contain the item, from the outside in, without the root.
    pub(crate) around: Vec<&'a Value>,
}

/// All public items of a library.
pub(crate) struct Surface<'a> {
    json: &'a Value,
    pub(crate) items: Vec<Item<'a>>,
    seen: HashSet<u64>,
}

impl<'a> Surface<'a> {
    pub(crate) fn of(json: &'a Value) -> Self {
        let mut surface = Self { json, items: Vec::new(), seen: HashSet::new() };
        if let Some(root) = surface.get(&json["root"]) {
            surface.module(root, "", &[]);
        }
        surface
    }

    /// The item with an id. `None` if the item belongs to another library.
    pub(crate) fn get(&self, id: &Value) -> Option<&'a Value> {
        self.json["index"].get(id.as_u64()?.to_string())
    }

    /// The library that defines the item with an id. `None` if the item belongs to this library.
    pub(crate) fn library(&self, id: u64) -> Option<&'a str> {
        let number = self.json["paths"].get(id.to_string())?["crate_id"].as_u64()?;
        self.json["external_crates"].get(number.to_string())?["name"].as_str()
    }

    fn module(&mut self, module: &'a Value, path: &str, around: &[&'a Value]) {
        for id in list(&module["inner"]["module"]["items"]) {
            if let Some(child) = self.get(id) {
                self.item(child, path, around);
            }
        }
    }

    fn item(&mut self, item: &'a Value, path: &str, around: &[&'a Value]) {
        let import = &item["inner"]["use"];
        if !import.is_null() {
            match self.get(&import["id"]) {
                // The import names an item of another library, which has the documentation of the item.
                None => {
                    self.items.push(Item { path: join(path, import), value: item, around: around.to_vec() });
                }
                Some(module) if import["is_glob"] == true => self.module(module, path, around),
                Some(target) => self.item(target, path, around),
            }
            return;
        }
        let first = item["id"].as_u64().is_none_or(|id| self.seen.insert(id));
        if !first {
            return;
        }
        let path = join(path, item);
        self.items.push(Item { path: path.clone(), value: item, around: around.to_vec() });
        let around = [around, &[item]].concat();
        if item["inner"].get("module").is_some() {
            self.module(item, &path, &around);
            return;
        }
        let blocks = self.implementations(item);
        let own = blocks.iter().map(|block| &block["inner"]["impl"]).filter(|block| block["trait"].is_null());
        let ids = members(item).into_iter().chain(own.flat_map(|block| list(&block["items"])));
        let members: Vec<_> = ids.filter_map(|id| self.get(id)).filter(|member| is_public(member)).collect();
        for member in members {
            self.item(member, &path, &around);
        }
    }

    /// The `impl` blocks of a type or of a trait that are written in the code.
    pub(crate) fn implementations(&self, item: &Value) -> Vec<&'a Value> {
        let inner = item["inner"].as_object().into_iter().flat_map(serde_json::Map::values);
        let ids = inner.flat_map(|inner| list(&inner["impls"]).chain(list(&inner["implementations"])));
        let blocks = ids.filter_map(|id| self.get(id));
        let is_written = |block: &&Value| {
            let block = &block["inner"]["impl"];
            block["is_synthetic"] == false && block["blanket_impl"].is_null()
        };
        blocks.filter(is_written).collect()
    }
}

/// The elements of an array. Empty for any other value.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The fields, variants and methods that the definition of an item lists itself.
fn members(item: &Value) -> Vec<&Value> {
    let inner = &item["inner"];
    let kind = |definition: &str| &inner[definition]["kind"];
    let fields =
        [&kind("struct")["plain"]["fields"], &kind("struct")["tuple"], &kind("variant")["struct"]["fields"]];
    let lists = [&inner["enum"]["variants"], &inner["trait"]["items"], &inner["union"]["fields"]];
    fields.into_iter().chain(lists).flat_map(list).collect()
}

/// An item of a trait or of an enum has the visibility `default`, which is that of its owner.
fn is_public(item: &Value) -> bool {
    item["visibility"] == "public" || item["visibility"] == "default"
}

fn join(path: &str, item: &Value) -> String {
    let name = item["name"].as_str().unwrap_or_default();
    if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Surface;
    use serde_json::{Value, json};

    /// A library for tests. It exports a function, and the type `Gate` of a private module. A method of `Gate` shows a type of
    /// the crate `other`.
    pub(crate) fn library() -> Value {
        let other = json!({"id": 90, "path": "other::Thing", "args": null});
        let signature = json!({"function": {"sig": {"inputs": [["thing", {"resolved_path": other}]]}}});
        let block = json!({"is_synthetic": false, "blanket_impl": null, "trait": null, "items": [4]});
        let item = |id: u64, name: &str, docs: &str, inner: Value| json!({"id": id, "name": name, "visibility": "public", "docs": docs, "links": {}, "inner": inner});
        json!({
            "root": 0,
            "index": {
                "0": item(0, "own", "```\nuse own;\n```", json!({"module": {"items": [1, 5]}})),
                "1": item(1, "", "", json!({"use": {"name": "Gate", "id": 2, "is_glob": false}})),
                "2": item(2, "Gate", "A gate.", json!({"struct": {"kind": {"plain": {"fields": []}}, "impls": [3]}})),
                "3": item(3, "", "", json!({"impl": block})),
                "4": item(4, "open", "```\ngate.open();\n```", signature),
                "5": item(5, "lock", "```text\nno example\n```", json!({"function": {}})),
            },
            "paths": {"90": {"crate_id": 7}},
            "external_crates": {"7": {"name": "other"}},
        })
    }

    #[test]
    fn items_are_found_where_users_find_them() {
        let json = library();
        let paths: Vec<_> = Surface::of(&json).items.into_iter().map(|item| item.path).collect();
        assert_eq!(paths, ["Gate", "Gate::open", "lock"]);
    }
}
