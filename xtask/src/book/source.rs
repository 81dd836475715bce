//! Gathers the pages of the book: the unchanged pages of the guide, and pages from other folders of the repository.

use crate::process::{remove, root};
use std::fs;
use std::path::Path;

const PUBLISHED: &str = "https://docs.rs/ratelimit-runtime/latest/ratelimit/";

/// The page on which users can try limits. The chapter `playground.md` shows this page.
pub(super) const PLAYGROUND: &str = "try-a-limit.html";

/// Pages of the repository that are not in the folder of the guide, and their names in the book.
const ELSEWHERE: [(&str, &str); 3] = [
    ("ratelimit-runtime/src/rate_limit.md", "attribute.md"),
    ("lua/README.md", "scripts.md"),
    ("benches/README.md", "benchmarks.md"),
];

/// The folders whose files the book contains, and the kinds of files.
const FOLDERS: [(&str, &[&str]); 3] =
    [("ratelimit-runtime/docs", &["md", "svg"]), ("benches", &["svg"]), ("book", &["md", "svg"])];

/// Writes the sources of the book into a folder.
pub(super) fn gather(folder: &Path) -> Result<(), String> {
    let source = folder.join("source");
    remove(&source)?;
    fs::create_dir_all(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    for (from, kinds) in FOLDERS {
        for entry in fs::read_dir(root().join(from)).map_err(|error| format!("{from}: {error}"))? {
            let path = entry.map_err(|error| format!("{from}: {error}"))?.path();
            let is_wanted = |kind: &&str| path.extension().is_some_and(|extension| extension == *kind);
            if let Some(name) = path.file_name().filter(|_| kinds.iter().any(is_wanted)) {
                copy(&path, &source.join(name))?;
            }
        }
    }
    for (from, name) in ELSEWHERE {
        let text = fs::read_to_string(root().join(from)).map_err(|error| format!("{from}: {error}"))?;
        let text = if name == "attribute.md" { attribute(&text) } else { text };
        fs::write(source.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    for name in ["book.toml", "book.css"] {
        copy(&root().join("book").join(name), &folder.join(name))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(())
}

/// Adapts the page of the attribute, which is written for rustdoc. The page gets a title, its code is marked as Rust, and its
/// links to items lead to the search of the published documentation.
fn attribute(text: &str) -> String {
    let mut page = "# The attribute\n\n".to_owned();
    let mut in_code = false;
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        if is_fence && !in_code && line.len() == 3 {
            page.push_str("```rust");
        } else if line.starts_with('#') && !in_code {
            page.push('#');
            page.push_str(line);
        } else {
            page.push_str(
                &line
                    .replace("](crate::", &format!("]({PUBLISHED}?search="))
                    .replace("](std::", "](https://doc.rust-lang.org/std/?search=std::"),
            );
        }
        in_code ^= is_fence;
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::{ELSEWHERE, attribute};
    use crate::documents::{guide, read};

    #[test]
    fn the_summary_has_each_page_once() {
        let summary = read("book/SUMMARY.md");
        let listed = summary.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')'));
        let mut listed: Vec<_> = listed.map(str::to_owned).collect();
        let pages = guide().into_iter().map(|page| page.rsplit('/').next().unwrap().to_owned());
        let others = ELSEWHERE.map(|(_, name)| name).into_iter().chain(["welcome.md", "playground.md"]);
        let mut pages: Vec<_> = pages.chain(others.map(str::to_owned)).collect();
        listed.sort();
        pages.sort();
        assert_eq!(listed, pages, "book/SUMMARY.md has all pages of the guide, and nothing else");
    }

    #[test]
    fn the_page_of_the_attribute_is_a_page_of_a_book() {
        let text = "See [`L`](crate::Limit).\n\n```\n# hidden\n```\n\n# Part\n\n```text\nx\n```\n";
        let page = "# The attribute\n\nSee [`L`](https://docs.rs/ratelimit-runtime/latest/ratelimit/?search=Limit).\n\n\
                    ```rust\n# hidden\n```\n\n## Part\n\n```text\nx\n```\n";
        assert_eq!(attribute(text), page);
    }
}
