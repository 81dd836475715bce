//! Checks the documentation as docs.rs builds it: it has no warnings, and shows the feature that each item needs.

use super::rustdoc;
use crate::features;
use crate::process::{run, target};
use crate::progress::Verdict;
use std::fs;
use std::path::Path;

const PACKAGE: &str = "ratelimit-runtime";

/// Features that change the behaviour of the library, but no public item.
const WITHOUT_ITEMS: [&str; 1] = ["tls"];

pub(crate) fn check() -> Result<Verdict, String> {
    let mut command = rustdoc::unstable(&["doc", "--locked", "--no-deps", "--all-features", "-p", PACKAGE]);
    run(command.env("RUSTDOCFLAGS", "--cfg docsrs -D warnings"))?;
    let folder = target().join("doc").join("ratelimit");
    let mut labels = String::new();
    labels_in(&folder, &mut labels).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_labelled = |feature: &str| labels.contains(&format!("<code>{feature}</code>"));
    let mut mistakes = Vec::new();
    for feature in features::names()? {
        match (is_labelled(&feature), WITHOUT_ITEMS.contains(&feature.as_str())) {
            (false, false) => mistakes.push(format!("no page shows an item that needs `{feature}`")),
            (true, true) => mistakes.push(format!("items need `{feature}`: remove it from `WITHOUT_ITEMS`")),
            _ => {}
        }
    }
    if mistakes.is_empty() { Ok(Verdict::Passed) } else { Err(mistakes.join("\n")) }
}

/// Collects the labels `Available on crate feature ..` of all pages below a folder.
fn labels_in(folder: &Path, labels: &mut String) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            labels_in(&path, labels)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let page = fs::read_to_string(&path)?;
            let found = page.split("Available on ").skip(1);
            labels.extend(found.map(|rest| rest.split("</div>").next().unwrap_or_default()));
        }
    }
    Ok(())
}
