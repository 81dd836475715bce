//! What is fuzzed: functions of any text that panic where the attribute breaks a promise.

#![expect(clippy::panic, reason = "a broken promise ends the run")]

mod arguments;
mod attribute;
mod duration;
mod template;

pub use attribute::FUNCTIONS;

/// A part of the attribute under arbitrary text.
pub struct Target {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Texts to start from, one per line.
    pub seeds: &'static str,
    run: fn(&str),
}

/// Everything that is fuzzed.
pub const TARGETS: [Target; 4] = [
    Target { name: "arguments", seeds: include_str!("../../seeds/arguments.txt"), run: arguments::run },
    Target { name: "template", seeds: include_str!("../../seeds/template.txt"), run: template::run },
    Target { name: "duration", seeds: include_str!("../../seeds/duration.txt"), run: duration::run },
    Target { name: "attribute", seeds: include_str!("../../seeds/attribute.txt"), run: attribute::run },
];

impl Target {
    /// The target of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Gives it one input; what is no text is no input.
    ///
    /// # Panics
    ///
    /// If the attribute does, or breaks another promise.
    pub fn run(&self, input: &[u8]) {
        if let Ok(text) = std::str::from_utf8(input) {
            (self.run)(text);
        }
    }
}

/// Ranges in ranges in ranges, which nobody writes: syn's printer takes twice as long with each.
fn is_endless(text: &str) -> bool {
    text.matches("..").count() > 8
}
