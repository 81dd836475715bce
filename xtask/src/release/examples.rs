//! Checks that every public item has an example, or a link to one.
//!
//! An item has an example if its documentation contains code, or a link to an item or a page that contains code. A method, a
//! field and a variant also have the example of their type, and a type has the example of its module. Modules need no example.
//! The root of the library does not count, because its page is the README, whose example would cover everything.

use super::rustdoc::{self, Features};
use super::semver;
use super::surface::{Item, Surface};
use crate::progress::Verdict;
use serde_json::Value;

pub(crate) fn check() -> Result<Verdict, String> {
    let mut missing = Vec::new();
    let mut count = 0;
    for (package, library) in semver::PUBLIC {
        let json = rustdoc::json(package, library, Features::All)?;
        let surface = Surface::of(&json);
        let local = surface
            .items
            .iter()
            .filter(|item| !["use", "module"].iter().any(|kind| item.value["inner"].get(*kind).is_some()));
        for item in local {
            count += 1;
            if !has_example(&surface, item) {
                missing.push(format!("{library}::{}", item.path));
            }
        }
    }
    println!("{count} public items, {} without an example or a link to one", missing.len());
    if missing.is_empty() { Ok(Verdict::Passed) } else { Err(missing.join("\n")) }
}

fn has_example(surface: &Surface<'_>, item: &Item<'_>) -> bool {
    item.around
        .iter()
        .rev()
        .chain([&item.value])
        .any(|place| shows_code(place) || links_to_code(surface, place))
}

fn links_to_code(surface: &Surface<'_>, item: &Value) -> bool {
    let targets = item["links"].as_object().into_iter().flat_map(serde_json::Map::values);
    targets.filter_map(|id| surface.get(id)).any(shows_code)
}

/// Whether the documentation contains a block of code. A block of `text` does not count.
fn shows_code(item: &Value) -> bool {
    let docs = item["docs"].as_str().unwrap_or_default();
    let mut fences = docs.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("```")).step_by(2);
    fences.any(|language| language != "text")
}

#[cfg(test)]
mod tests {
    use super::has_example;
    use crate::release::surface::Surface;
    use crate::release::surface::tests::library;

    #[test]
    fn an_example_is_code_in_the_documentation_or_behind_a_link() {
        let without = |json: &serde_json::Value| {
            let surface = Surface::of(json);
            let items = surface.items.iter().filter(|item| !has_example(&surface, item));
            items.map(|item| item.path.clone()).collect::<Vec<_>>()
        };
        let mut json = library();
        assert_eq!(
            without(&json),
            ["Gate", "lock"],
            "the page of the library does not count, and `text` is no example"
        );
        json["index"]["2"]["links"]["Gate::open"] = 4.into();
        assert_eq!(without(&json), ["lock"], "a type has the example that it links to");
        json["index"]["4"]["docs"] = "".into();
        assert_eq!(without(&json), ["Gate", "Gate::open", "lock"]);
    }
}
