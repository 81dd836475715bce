//! `cargo xtask release`: everything that must be true before a version is published, as one command and one table.

mod advisories;
mod api;
mod dependencies;
mod docs_rs;
mod examples;
mod manifests;
mod minimal;
mod publish;
pub(crate) mod rustdoc;
mod semver;
mod surface;
mod systems;
mod toolchains;
mod tools;
mod workflows;

use crate::process::{cargo, root, run};
use crate::progress::{Progress, Verdict};
use crate::{features, packaging};

/// A parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Release {
    /// Runs the checks whose name contains one of the words, or all of them.
    Check {
        strict: bool,
        words: Vec<String>,
    },
    Publish,
}

type Check = fn() -> Result<Verdict, String>;

/// All checks in the order in which they run: checks that take seconds come first.
const CHECKS: [(&str, Check); 17] = [
    ("metadata", manifests::metadata),
    ("version and changelog", manifests::version),
    ("documents", documents),
    ("workflows", workflows::check),
    ("licences, sources and duplicates", dependencies::licences),
    ("advisories", advisories::check),
    ("unused dependencies", dependencies::unused),
    ("semver", semver::check),
    ("public types", api::check),
    ("examples of public items", examples::check),
    ("docs.rs", docs_rs::check),
    ("packages", packages),
    ("publishing, as a dry run", publish::dry_run),
    ("oldest dependencies", minimal::check),
    ("other systems", systems::check),
    ("features and pairs", pairs),
    ("oldest Rust", toolchains::check),
];

pub(crate) fn parse(args: Vec<String>) -> Result<Release, String> {
    let (options, words): (Vec<_>, Vec<_>) = args.into_iter().partition(|arg| arg.starts_with('-'));
    let has = |option: &str| options.iter().any(|given| given == option);
    if let Some(unknown) =
        options.iter().find(|given| !["--check", "--strict", "--publish"].contains(&given.as_str()))
    {
        return Err(format!("`release` has no option `{unknown}`"));
    }
    match (has("--publish"), has("--check")) {
        (true, _) if options.len() == 1 && words.is_empty() => return Ok(Release::Publish),
        (true, _) => return Err("`release --publish` takes no arguments".to_owned()),
        (false, false) => return Err("`release` needs `--check` or `--publish`".to_owned()),
        (false, true) => {}
    }
    if let Some(word) = words.iter().find(|word| !CHECKS.iter().any(|(name, _)| name.contains(word.as_str())))
    {
        return Err(format!(
            "no check is called `{word}`, expected {}",
            CHECKS.map(|(name, _)| name).join("; ")
        ));
    }
    Ok(Release::Check { strict: has("--strict"), words })
}

pub(crate) fn perform(release: &Release) -> Result<(), String> {
    match release {
        Release::Check { strict, words } => check(*strict, words),
        Release::Publish => {
            check(true, &["metadata".to_owned(), "version".to_owned()])?;
            publish::publish()
        }
    }
}

/// Runs all chosen checks, even if one fails, so that one run shows everything that is left to do before a release.
fn check(strict: bool, words: &[String]) -> Result<(), String> {
    let is_chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let chosen: Vec<_> = CHECKS.iter().filter(|(name, _)| is_chosen(name)).collect();
    let mut progress = Progress::default();
    let mut failures = Vec::new();
    for (at, (name, work)) in chosen.iter().enumerate() {
        println!("\n[{} of {}]", at + 1, chosen.len());
        failures.extend(progress.judge(name, work).err());
    }
    println!("\n{}", progress.summary());
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    match progress.open() {
        0 => Ok(()),
        open if strict => Err(format!("{open} open, and `--strict` accepts nothing that is open")),
        _ => {
            println!(
                "\nWhat is OPEN has not passed: settle it before you publish. `--strict` makes it an error."
            );
            Ok(())
        }
    }
}

/// Runs the checks that take a second and need no other program. The search for unused dependencies runs only if its program is
/// installed, because compiling that program takes minutes.
pub(crate) fn quick(progress: &mut Progress) -> Result<(), String> {
    progress.judge("metadata", manifests::metadata)?;
    if root().join(".git").exists() {
        progress.judge("version and changelog", manifests::version)?;
    }
    progress.judge("unused dependencies", dependencies::unused_if_installed)
}

/// Checks the links and the numbers of the documents, by running the tests of this package.
fn documents() -> Result<Verdict, String> {
    run(&mut cargo(&["test", "--quiet", "--locked", "-p", "xtask"])).map(|()| Verdict::Passed)
}

fn packages() -> Result<Verdict, String> {
    packaging::check()?;
    packaging::document_programs().map(|()| Verdict::Passed)
}

fn pairs() -> Result<Verdict, String> {
    features::check().map(|()| Verdict::Passed)
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, Release, parse};
    use crate::documents::read;

    fn parsed(line: &str) -> Result<Release, String> {
        parse(line.split_whitespace().map(String::from).collect())
    }

    #[test]
    fn checks_are_chosen_by_words() {
        let check = |strict, words: &[&str]| {
            Ok(Release::Check { strict, words: words.iter().map(|&word| word.to_owned()).collect() })
        };
        assert_eq!(parsed("--check"), check(false, &[]));
        assert_eq!(parsed("--check --strict semver docs.rs"), check(true, &["semver", "docs.rs"]));
        assert_eq!(parsed("--publish"), Ok(Release::Publish));
    }

    #[test]
    fn every_check_is_explained() {
        let page = read("RELEASING.md");
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| ")).collect();
        for (name, _) in CHECKS {
            assert!(rows.iter().any(|row| row.contains(name)), "RELEASING.md does not explain `{name}`");
        }
    }

    #[test]
    fn unknown_words_are_errors() {
        assert!(
            parsed("--check sumver")
                .unwrap_err()
                .starts_with("no check is called `sumver`, expected metadata; ")
        );
        assert_eq!(parsed(""), Err("`release` needs `--check` or `--publish`".to_owned()));
        assert_eq!(parsed("--check --now"), Err("`release` has no option `--now`".to_owned()));
        assert_eq!(parsed("--publish --strict"), Err("`release --publish` takes no arguments".to_owned()));
    }
}
