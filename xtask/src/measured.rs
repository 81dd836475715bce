//! The parts of the library, and the tests of each part. The commands `mutants` and `coverage` measure these tests.

/// A part of the library.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    /// The folder with the sources of the part.
    pub(crate) folder: &'static str,
    /// The packages with the tests of the part, and the targets of these packages to test.
    pub(crate) tested_by: &'static [&'static str],
    pub(crate) targets: &'static [&'static str],
    /// Only tests whose name contains one of these words run. If there are no words, all tests run.
    pub(crate) tests: &'static [&'static str],
}

const RUNTIME: &str = "ratelimit-runtime";
const WITH_TESTS: &[&str] = &[RUNTIME, "ratelimit-tests"];
const STORES: &[&str] = &["--lib", "--test", "stores"];

/// All parts. Each part has only few tests, because all tests of a part run again for each mutant.
pub(crate) const PARTS: [Part; 7] = [
    Part {
        name: "limit",
        package: "ratelimit-limit",
        folder: "ratelimit-limit/src",
        tested_by: &["ratelimit-limit"],
        targets: &["--lib", "--all-features"],
        tests: &[],
    },
    Part {
        name: "syntax",
        package: "ratelimit-syntax",
        folder: "ratelimit-syntax/src",
        tested_by: &["ratelimit-syntax", "ratelimit-macros", "ratelimit-case-tests", "ratelimit-ui-tests"],
        targets: &["--lib", "--tests"],
        tests: &[],
    },
    Part {
        name: "macros",
        package: "ratelimit-macros",
        folder: "ratelimit-macros/src",
        tested_by: &["ratelimit-macros", "ratelimit-ui-tests"],
        targets: &["--lib", "--tests"],
        tests: &[],
    },
    Part {
        name: "keys",
        package: RUNTIME,
        folder: "ratelimit-runtime/src/key",
        tested_by: WITH_TESTS,
        targets: &["--lib", "--test", "attribute"],
        tests: &["key", "identities"],
    },
    Part {
        name: "proxies",
        package: RUNTIME,
        folder: "ratelimit-runtime/src/proxies",
        tested_by: WITH_TESTS,
        targets: STORES,
        tests: &["proxies"],
    },
    Part {
        name: "memory",
        package: RUNTIME,
        folder: "ratelimit-runtime/src/store/memory",
        tested_by: WITH_TESTS,
        targets: STORES,
        tests: &["memory", "models::single", "models::mixed"],
    },
    Part {
        name: "batches",
        package: RUNTIME,
        folder: "ratelimit-runtime/src/store/redis/batch",
        tested_by: WITH_TESTS,
        targets: STORES,
        tests: &[
            "any_slot",
            "batch",
            "blocks",
            "foreign",
            "lost_replies",
            "merged_requests",
            "missed_deadlines",
        ],
    },
];

/// Returns the named parts, or all parts.
pub(crate) fn parts(names: &[String]) -> Result<Vec<&'static Part>, String> {
    if names.is_empty() {
        return Ok(PARTS.iter().collect());
    }
    let known = || PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(", ");
    let part = |name: &String| {
        let found = PARTS.iter().find(|part| part.name == name);
        found.ok_or_else(|| format!("unknown part `{name}`, expected some of {}", known()))
    };
    names.iter().map(part).collect()
}

impl Part {
    /// The arguments of `cargo test` that run the tests of the part, without the packages.
    pub(crate) fn test_arguments(&self) -> Vec<&'static str> {
        let filter = (!self.tests.is_empty()).then_some("--");
        self.targets.iter().copied().chain(filter).chain(self.tests.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{PARTS, parts};
    use crate::process::root;

    #[test]
    fn every_part_has_sources_and_packages() {
        let manifests = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
        for part in &PARTS {
            assert!(root().join(part.folder).is_dir(), "{}", part.name);
            for package in part.tested_by.iter().chain([&part.package]) {
                assert!(manifests.contains(&format!("name = \"{package}\"")), "{package}");
            }
        }
    }

    #[test]
    fn parts_are_named() {
        assert_eq!(parts(&[]).unwrap().len(), PARTS.len());
        assert_eq!(parts(&["keys".to_owned()]).unwrap(), [&PARTS[3]]);
        assert!(
            parts(&["kees".to_owned()])
                .unwrap_err()
                .starts_with("unknown part `kees`, expected some of limit,")
        );
        assert_eq!(PARTS[4].test_arguments(), ["--lib", "--test", "stores", "--", "proxies"]);
    }
}
