//! Checks the manifests: the metadata that the registry shows, and the same version everywhere.

use super::semver::git;
use crate::features;
use crate::packaging::PUBLISHED;
use crate::process::root;
use crate::progress::Verdict;
use serde_json::Value;
use std::fs;

/// The fields that only the owner of the repository knows. The owner sets both once, in `[workspace.package]` of the workspace's
/// manifest.
const BY_OWNER: [&str; 2] = ["repository", "homepage"];

/// The end of the description of a crate that people do not use directly. Its page on the registry needs no more text.
const DETAIL: &str = "an implementation detail";

pub(crate) fn metadata() -> Result<Verdict, String> {
    let packages = packages()?;
    let mut mistakes = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap_or_default();
        let texts = ["description", "license", "documentation", "rust_version"];
        let readme = (!text(package, "description").ends_with(DETAIL)).then_some("readme");
        let missing = texts.into_iter().chain(readme).filter(|field| text(package, field).is_empty());
        mistakes.extend(missing.map(|field| format!("{name} has no `{field}`")));
        for (field, most) in [("keywords", 5), ("categories", 5)] {
            let count = package[field].as_array().map_or(0, Vec::len);
            if count == 0 || count > most {
                mistakes.push(format!("{name} has {count} {field}, expected 1 to {most}"));
            }
        }
        let docs_rs = &package["metadata"]["docs"]["rs"];
        let has_features = package["features"].as_object().is_some_and(|features| !features.is_empty());
        if has_features && docs_rs["all-features"] != true {
            mistakes.push(format!("{name} has features, but no `all-features` for docs.rs"));
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes.join("\n"));
    }
    let unset =
        BY_OWNER.into_iter().filter(|field| packages.iter().any(|package| text(package, field).is_empty()));
    let unset: Vec<_> = unset.map(|field| format!("`{field}`")).collect();
    if unset.is_empty() {
        return Ok(Verdict::Passed);
    }
    let unset = unset.join(" and ");
    Ok(Verdict::Open(format!(
        "the owner of the repository sets {unset} in `[workspace.package]` of Cargo.toml"
    )))
}

/// Checks that every published package has the version of the workspace, that the requirements between the packages name this
/// version, and that the changelog begins with it.
pub(crate) fn version() -> Result<Verdict, String> {
    let packages = packages()?;
    let version = text(&packages[0], "version").to_owned();
    let mut mistakes = Vec::new();
    for package in &packages {
        if text(package, "version") != version {
            mistakes.push(format!("{} has version {}", package["name"], package["version"]));
        }
        let exact = format!("={version}");
        let siblings = package["dependencies"].as_array().into_iter().flatten();
        let siblings = siblings.filter(|needed| PUBLISHED.contains(&text(needed, "name")));
        let wrong = siblings.filter(|needed| text(needed, "req") != exact);
        mistakes.extend(
            wrong.map(|needed| format!("{} needs {} {}", package["name"], needed["name"], needed["req"])),
        );
    }
    let changelog =
        fs::read_to_string(root().join("CHANGELOG.md")).map_err(|error| format!("CHANGELOG.md: {error}"))?;
    let first = changelog.lines().find_map(|line| line.strip_prefix("## ")).unwrap_or_default();
    let readme =
        fs::read_to_string(root().join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let date = first
        .strip_prefix(&version)
        .map(str::trim)
        .and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    let tag = git(&["tag", "--points-at", "HEAD", "--list", "v[0-9]*"])?;
    if !tag.is_empty() && tag != format!("v{version}") {
        mistakes.push(format!("this commit has the tag {tag}"));
    }
    match date {
        _ if !mistakes.is_empty() => Err(format!("expected version {version}, but {}", mistakes.join("; "))),
        Some(date) if is_date(date) && readme.contains(" is not released yet") => Err(format!(
            "CHANGELOG.md has a date for {version}, but README.md says that it is not released yet"
        )),
        Some(date) if is_date(date) => Ok(Verdict::Passed),
        Some("unreleased") if tag.is_empty() => Ok(Verdict::Open(format!(
            "CHANGELOG.md calls {version} unreleased: write the date on the day of the release"
        ))),
        _ => Err(format!("CHANGELOG.md begins with `{first}`, expected `{version} (year-month-day)`")),
    }
}

/// The published packages, as cargo describes them.
fn packages() -> Result<Vec<Value>, String> {
    let metadata = features::metadata()?;
    let find = |name: &str| {
        let found = features::packages(&metadata).find(|package| package["name"] == name);
        found.cloned().ok_or_else(|| format!("no package is called {name}"))
    };
    PUBLISHED.into_iter().map(find).collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// Whether a text is a date such as `2026-11-24`.
fn is_date(text: &str) -> bool {
    let shape: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    shape == "0000-00-00"
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn a_date_has_a_year_a_month_and_a_day() {
        assert!(is_date("2026-11-24"));
        assert!(!is_date("unreleased") && !is_date("2026-11"));
    }
}
