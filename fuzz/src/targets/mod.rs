//! The fuzz targets: functions that take any text and panic if the attribute, or the parser of forwarding headers, breaks one of
//! its guarantees.

#![expect(clippy::panic, reason = "a panic reports a failure to the fuzzer")]

mod arguments;
mod attribute;
mod duration;
mod forwarded;
mod template;

pub use attribute::FUNCTIONS;

/// A part of the attribute or of the runtime that is run on arbitrary text.
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// The first inputs, one per line.
    pub seeds: &'static str,
    run: fn(&str),
}

/// All targets.
pub const TARGETS: [Target; 5] = [
    Target { name: "arguments", seeds: include_str!("../../seeds/arguments.txt"), run: arguments::run },
    Target { name: "template", seeds: include_str!("../../seeds/template.txt"), run: template::run },
    Target { name: "duration", seeds: include_str!("../../seeds/duration.txt"), run: duration::run },
    Target { name: "attribute", seeds: include_str!("../../seeds/attribute.txt"), run: attribute::run },
    Target { name: "forwarded", seeds: include_str!("../../seeds/forwarded.txt"), run: forwarded::run },
];

impl Target {
    /// The target with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Runs the target on one input. Ignores an input that is not UTF-8.
    ///
    /// # Panics
    ///
    /// If the code under test panics or breaks another guarantee.
    pub fn run(&self, input: &[u8]) {
        if let Ok(text) = std::str::from_utf8(input) {
            (self.run)(text);
        }
    }
}

/// Whether a text has many nested ranges. syn's printer takes twice as long for each, and nobody writes such code.
fn has_many_ranges(text: &str) -> bool {
    text.matches("..").count() > 8
}
