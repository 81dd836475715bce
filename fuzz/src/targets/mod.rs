//! The fuzz targets: functions that take any input and panic if the code under test breaks one of its guarantees.

#![expect(clippy::panic, reason = "a panic reports a failure to the fuzzer")]

mod arguments;
mod attribute;
mod duration;
mod forwarded;
mod limit;
mod log;
mod reply;
mod retry_after;
mod stored;
mod template;
mod url;

pub use attribute::FUNCTIONS;

/// A part of the attribute, the runtime or the command that is run on arbitrary input.
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// The first inputs, one per line.
    pub seeds: &'static str,
    run: Run,
}

enum Run {
    /// Input that is not UTF-8 is ignored.
    Text(fn(&str)),
    Bytes(fn(&[u8])),
}

/// All targets.
pub const TARGETS: [Target; 11] = [
    target("arguments", include_str!("../../seeds/arguments.txt"), Run::Text(arguments::run)),
    target("template", include_str!("../../seeds/template.txt"), Run::Text(template::run)),
    target("duration", include_str!("../../seeds/duration.txt"), Run::Text(duration::run)),
    target("attribute", include_str!("../../seeds/attribute.txt"), Run::Text(attribute::run)),
    target("forwarded", include_str!("../../seeds/forwarded.txt"), Run::Text(forwarded::run)),
    target("limit", include_str!("../../seeds/limit.txt"), Run::Text(limit::run)),
    target("url", include_str!("../../seeds/url.txt"), Run::Text(url::run)),
    target("retry_after", include_str!("../../seeds/retry_after.txt"), Run::Bytes(retry_after::run)),
    target("log", include_str!("../../seeds/log.txt"), Run::Bytes(log::run)),
    target("reply", include_str!("../../seeds/reply.txt"), Run::Bytes(reply::run)),
    target("stored", include_str!("../../seeds/stored.txt"), Run::Bytes(stored::run)),
];

const fn target(name: &'static str, seeds: &'static str, run: Run) -> Target {
    Target { name, seeds, run }
}

impl Target {
    /// Returns the target with this name. `None` if no target has this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Runs the target on one input.
    ///
    /// # Panics
    ///
    /// If the code under test panics or breaks another guarantee.
    pub fn run(&self, input: &[u8]) {
        match self.run {
            Run::Bytes(run) => run(input),
            Run::Text(run) => drop(std::str::from_utf8(input).map(run)),
        }
    }
}

/// Whether a text has many nested ranges. With each nested range, syn's printer takes twice as long. Nobody writes such code.
fn has_many_ranges(text: &str) -> bool {
    text.matches("..").count() > 8
}
