//! Short runs of the fuzz targets as ordinary tests, on the seeds and on random texts from a fixed seed.

#![expect(clippy::unwrap_used, reason = "in test helpers, a panic fails the test")]

use fuzz::generate::{Generator, dictionary, names};
use fuzz::targets::Target;

fn run(name: &str, count: u32, mut text: impl FnMut(&mut Generator, &str) -> String) {
    let target = Target::named(name).unwrap();
    for seed in target.seeds.lines().chain([""]) {
        target.run(seed.as_bytes());
    }
    let mut generator = Generator::new(7);
    for _ in 0..count {
        let text = text(&mut generator, target.seeds);
        let result = std::panic::catch_unwind(|| target.run(text.as_bytes()));
        assert!(result.is_ok(), "target `{name}` fails on {text:?}");
    }
}

#[test]
fn arguments_are_parsed_or_rejected() {
    run("arguments", 8_000, |generator, _| generator.arguments());
    run("arguments", 4_000, Generator::mutated);
}

#[test]
fn templates_have_the_placeholders_that_they_show() {
    run("template", 20_000, Generator::mutated);
}

#[test]
fn durations_agree_with_their_definition() {
    run("duration", 20_000, Generator::mutated);
}

#[test]
fn an_attribute_becomes_code_or_an_error() {
    run("attribute", 2_000, Generator::mutated);
}

#[test]
fn forwarding_headers_are_read_from_the_right() {
    run("forwarded", 20_000, Generator::mutated);
}

#[test]
fn what_others_have_written_is_read_or_refused() {
    for name in ["limit", "retry_after", "log", "reply"] {
        run(name, 10_000, Generator::mutated);
    }
    // With the feature `tls`, a URL of `rediss` reads the certificates of the system.
    run("url", 300, Generator::mutated);
}

#[test]
fn operations_on_any_state_are_as_defined() {
    run("stored", 10_000, Generator::mutated);
}

#[test]
fn the_dictionary_contains_all_arguments() {
    let words = dictionary();
    for name in names() {
        assert!(words.contains(&format!("{name} = ")), "add `{name} = ` to fuzz/dictionary.txt");
    }
}
