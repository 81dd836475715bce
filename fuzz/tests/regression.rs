//! The fuzz targets in short, for every day: the seeds, and random texts that are the same ones each time.

#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

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
        assert!(result.is_ok(), "`{name}` breaks on {text:?}");
    }
}

#[test]
fn arguments_are_read_or_refused() {
    run("arguments", 8_000, |generator, _| generator.arguments());
    run("arguments", 4_000, Generator::mutated);
}

#[test]
fn templates_have_the_placeholders_that_they_show() {
    run("template", 20_000, Generator::mutated);
}

#[test]
fn durations_mean_what_their_definition_says() {
    run("duration", 20_000, Generator::mutated);
}

#[test]
fn an_attribute_becomes_code_or_an_error() {
    run("attribute", 2_000, Generator::mutated);
}

#[test]
fn the_dictionary_has_all_arguments() {
    let words = dictionary();
    for name in names() {
        assert!(words.contains(&format!("{name} = ")), "fuzz/dictionary.txt lacks `{name}`");
    }
}
