//! Checks the links of the built book: each link leads to a file of the book, and to a place in that file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The links of a page, and the places in it to which links can lead.
#[derive(Debug, Default, PartialEq)]
struct Page {
    links: Vec<String>,
    places: Vec<String>,
}

/// Checks all links of the pages in a folder. Returns the number of pages.
///
/// # Errors
///
/// If a link leads nowhere. The error names all such links.
pub(super) fn check(folder: &Path) -> Result<usize, String> {
    let mut pages = BTreeMap::new();
    read(folder, &mut pages)?;
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !leads_elsewhere(link)) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = file.split('?').next().unwrap_or_default();
            let to = if file.is_empty() { path.clone() } else { normal(&path.with_file_name(file)) };
            let exists = match pages.get(&to) {
                Some(page) => place.is_empty() || page.places.iter().any(|found| found == place),
                None => to.exists(),
            };
            if !exists {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    if broken.is_empty() {
        Ok(pages.len())
    } else {
        Err(format!("links that lead nowhere:\n{}", broken.join("\n")))
    }
}

fn read(folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            read(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            pages.insert(path, parse(&text));
        }
    }
    Ok(())
}

/// Reads the attributes of all tags. mdBook writes an attribute as `name="value"`. It never writes `<` in text, so each `<`
/// begins a tag.
fn parse(html: &str) -> Page {
    let mut page = Page::default();
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        for (name, value) in tag.split("=\"").collect::<Vec<_>>().windows(2).filter_map(|pair| {
            let name = pair.first()?.rsplit([' ', '"', '\n']).next()?;
            Some((name, pair.get(1)?.split('"').next()?))
        }) {
            match name {
                "href" | "src" => page.links.push(value.replace("&amp;", "&")),
                "id" | "name" => page.places.push(value.to_owned()),
                _ => {}
            }
        }
    }
    page
}

fn leads_elsewhere(link: &str) -> bool {
    link == "#" || link.contains("://") || link.starts_with("data:")
}

/// Removes each `..` from a path, together with the folder before it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            normal.pop();
        } else {
            normal.push(part);
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::{Page, check, parse};
    use crate::process::target;
    use std::fs;

    #[test]
    fn attributes_are_found_in_tags_only() {
        let page = parse(
            "<p id=\"a\" class=\"b\"><a href=\"c.html?d=1&amp;e#f\">src=\"g\"</a><img alt=\"h\" src=\"i.svg\">",
        );
        let links = ["c.html?d=1&e#f", "i.svg"].map(String::from).to_vec();
        assert_eq!(page, Page { links, places: vec!["a".to_owned()] });
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let folder = target().join("link-check");
        fs::create_dir_all(folder.join("b")).unwrap();
        fs::write(folder.join("a.html"), "<a href=\"b/c.html#d\"></a><a href=\"https://e\"></a>").unwrap();
        fs::write(folder.join("b/c.html"), "<p id=\"d\"></p><a href=\"../a.html\"></a>").unwrap();
        assert_eq!(check(&folder), Ok(2));
        fs::write(folder.join("b/c.html"), "<p id=\"x\"></p><a href=\"../f.html\"></a><a href=\"#y\"></a>")
            .unwrap();
        let error = check(&folder).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
        for link in ["b/c.html#d", "../f.html", "#y"] {
            assert!(error.contains(&format!(": {link}")), "{error}");
        }
    }
}
