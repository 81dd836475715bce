//! Tests of the documentation: all links and pictures work in the repository, in rustdoc and on the registry's page.

use crate::process::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The guide in rustdoc: modules that include the pages of `ratelimit-runtime/docs/`.
pub(crate) const GUIDE: &str = "ratelimit-runtime/src/docs.rs";

/// The address at which the modules of [`GUIDE`] are published.
pub(crate) const PUBLISHED: &str = "https://docs.rs/ratelimit-runtime/latest/ratelimit/";

/// A link or a picture. Only a reference definition (`[label]: target`) has a label.
#[derive(Debug, PartialEq)]
struct Link {
    label: Option<String>,
    target: String,
}

impl Link {
    fn is_relative(&self) -> bool {
        !self.target.contains("://") && !self.target.starts_with('#')
    }
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The Markdown pages that readers of the repository see.
fn pages() -> Vec<String> {
    let folders = ["", "ratelimit-runtime/docs/", "lua/", "examples/", "benches/"];
    let mut pages: Vec<String> = folders.iter().flat_map(|folder| files(folder, "md")).collect();
    pages.sort();
    pages
}

/// The pages of the guide.
pub(crate) fn guide() -> Vec<String> {
    files("ratelimit-runtime/docs/", "md")
}

fn files(folder: &str, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let wanted = |name: &String| Path::new(name).extension().is_some_and(|found| found == extension);
    names.filter(wanted).map(|name| format!("{folder}{name}")).collect()
}

/// All links of a page, outside of code.
fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for line in outside_fences(text) {
        if let Some((label, target)) = line.strip_prefix('[').and_then(|line| line.split_once("]: ")) {
            links.push(Link { label: Some(label.to_owned()), target: target.trim().to_owned() });
            continue;
        }
        // If a line is split at its backticks, every second piece is code.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for rest in prose.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            links.push(Link { label: None, target: target.to_owned() });
        }
    }
    links
}

pub(crate) fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The anchors of the headings of a page, as hosting sites generate them.
fn anchors(text: &str) -> Vec<String> {
    let headings = outside_fences(text).filter(|line| line.starts_with('#'));
    let letter = |letter: char| match letter {
        ' ' => Some('-'),
        _ if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter.to_ascii_lowercase()),
        _ => None,
    };
    headings.map(|line| line.trim_start_matches('#').trim().chars().filter_map(letter).collect()).collect()
}

/// The modules of the guide, each with the files that it includes, in order.
pub(crate) fn modules() -> Vec<(String, Vec<PathBuf>)> {
    let mut modules = Vec::new();
    for line in read(GUIDE).lines() {
        // `name: "first file", "second file";`
        if let Some((name, files)) = line.trim().strip_suffix("\";").and_then(|line| line.split_once(": \""))
        {
            let files = ["docs/links.md"].into_iter().chain(files.split("\", \""));
            let files = files.map(|file| Path::new("ratelimit-runtime/src").join(file));
            modules.push((name.to_owned(), files.collect()));
        }
    }
    modules
}

/// Writes a picture as a link definition with a data URL, which rustdoc can show without a file.
fn as_definition(name: &str, svg: &str) -> String {
    let encode = |letter: char| match letter {
        '\n' => "%20".to_owned(),
        ' ' | '%' | '#' | '<' | '>' | '(' | ')' | '\\' => format!("%{:02X}", u32::from(letter)),
        _ => letter.to_string(),
    };
    let picture: String = svg.trim_end().replace('"', "'").chars().map(encode).collect();
    format!("[{name}]: data:image/svg+xml,{picture}\n")
}

#[test]
fn links_and_pictures_lead_to_files_and_headings() {
    for page in pages() {
        let folder = Path::new(&page).parent().unwrap().to_path_buf();
        for link in links(&read(&page)) {
            let (path, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
            if link.target.contains("://") {
                continue;
            }
            let file = if path.is_empty() { root().join(&page) } else { root().join(&folder).join(path) };
            assert!(file.exists(), "{page}: `{}` does not exist", link.target);
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(&file).unwrap());
                assert!(
                    anchors.iter().any(|found| found == anchor),
                    "{page}: no heading for `{}`",
                    link.target
                );
            }
        }
    }
}

#[test]
fn the_published_readme_has_only_absolute_links_to_known_modules() {
    let modules = modules().into_iter().map(|(name, _)| format!("{PUBLISHED}docs/{name}/"));
    assert!(read("README.md").lines().count() <= 150, "README is one screen that convinces, and some more");
    let known: Vec<_> =
        modules.chain(["attr.rate_limit.html", "docs/"].map(|page| format!("{PUBLISHED}{page}"))).collect();
    for link in links(&read("README.md")) {
        // The registry shows this page without the other files of the repository.
        assert!(
            !link.is_relative(),
            "`{}` does not work on the registry; link to https://docs.rs/..",
            link.target
        );
        let is_known = !link.target.starts_with(PUBLISHED) || known.contains(&link.target);
        assert!(is_known, "`{}` is neither a module of {GUIDE} nor the attribute", link.target);
    }
}

#[test]
fn rustdoc_defines_every_relative_link_of_the_guide() {
    let mut included = Vec::new();
    for (module, files) in modules() {
        let (page, definitions) = files.split_last().unwrap_or_else(|| panic!("`{module}` includes nothing"));
        let text = |file: &PathBuf| fs::read_to_string(root().join(file)).unwrap();
        let defined: Vec<_> = definitions.iter().flat_map(|file| links(&text(file))).collect();
        for link in links(&text(page)).into_iter().filter(Link::is_relative) {
            let known = link.label.is_some() && defined.iter().any(|defined| defined.label == link.label);
            assert!(
                known,
                "{}: write `{}` as a reference `[name]`, and define it in {GUIDE}",
                page.display(),
                link.target
            );
        }
        included.push(fs::canonicalize(root().join(page)).unwrap());
    }
    for page in guide() {
        let path = fs::canonicalize(root().join(&page)).unwrap();
        assert!(included.contains(&path), "{GUIDE} has no module for {page}");
    }
}

#[test]
fn a_page_of_the_guide_says_what_the_reader_can_do_after_it() {
    for page in guide() {
        let text = read(&page);
        let first = text.lines().nth(2).unwrap_or_default();
        assert!(first.starts_with("After this page, you can "), "{page} begins with `{first}`");
        assert!(text.lines().count() <= 250, "{page} is too long to be read at once");
    }
}

#[test]
fn a_page_defines_the_references_that_it_uses() {
    let pages: Vec<_> = guide().into_iter().map(|page| (read(&page), page)).collect();
    let defined = |text: &str| links(text).into_iter().filter_map(|link| link.label).collect::<Vec<_>>();
    let known: Vec<_> = pages.iter().flat_map(|(text, _)| defined(text)).collect();
    for (text, page) in &pages {
        let (own, prose) = (defined(text), outside_fences(text).collect::<Vec<_>>().join("\n"));
        let prose = prose.split_once("\n[").map_or(prose.as_str(), |(prose, _)| prose);
        for label in known.iter().filter(|label| !own.contains(label)) {
            assert!(!prose.contains(&format!("[{label}]")), "{page} uses `[{label}]` without defining it");
        }
    }
}

/// With `UPDATE_EXPECT=1`, the test writes the expected file. This is needed after an example has drawn a picture again.
#[test]
fn rustdoc_has_the_pictures_of_the_guide() {
    for picture in files("ratelimit-runtime/docs/", "svg") {
        let name = Path::new(&picture).file_stem().unwrap().to_str().unwrap();
        let (path, expected) =
            (format!("ratelimit-runtime/src/docs/{name}.md"), as_definition(name, &read(&picture)));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(root().join(&path), &expected).unwrap();
        }
        let found = fs::read_to_string(root().join(&path)).unwrap_or_default();
        assert!(
            found == expected,
            "{path} differs from {picture}: run `UPDATE_EXPECT=1 cargo test -p xtask`"
        );
    }
}

#[test]
fn links_are_found_outside_of_code() {
    let text = "A [b](c.md), `[d](e)` and ![f](g.svg#h).\n```text\n[i](j)\n```\n[k]: l.md\n[m]: https://n\n# O p: `q`!\n";
    let targets: Vec<_> = links(text).into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["c.md", "g.svg#h", "l.md", "https://n"]);
    assert_eq!(links(text).iter().filter(|link| link.is_relative()).count(), 3);
    assert_eq!(anchors(text), ["o-p-q"]);
}
